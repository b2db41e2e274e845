package claudecli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

// The test's own program, started again, plays claude: FAKE_CLAUDE says how,
// the other variables what.
func TestMain(m *testing.M) {
	switch os.Getenv("FAKE_CLAUDE") {
	case "":
		os.Exit(m.Run())
	case "record": // what it got goes to FAKE_OUT
		record()
	case "print":
	case "alone": // it would be seen if two ran at once
		f, err := os.OpenFile(os.Getenv("FAKE_OUT"), os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		time.Sleep(10 * time.Millisecond)
		f.Close()
		os.Remove(f.Name())
	case "hang": // with a child of its own
		child()
		time.Sleep(time.Hour)
	case "leave": // the child goes on
		child()
	case "child":
		if ok, err := flock.New(os.Getenv("FAKE_OUT")).TryLock(); !ok || err != nil {
			os.Exit(1)
		}
		os.Stdout.Write([]byte("x")) // it lives
		time.Sleep(5 * time.Minute)
	}
	fmt.Fprint(os.Stderr, os.Getenv("FAKE_ERR"))
	fmt.Print(os.Getenv("FAKE_RESULT"))
	code, _ := strconv.Atoi(os.Getenv("FAKE_EXIT"))
	os.Exit(code)
}

// child starts a child that holds a lock on FAKE_OUT as long as it lives.
func child() {
	self, _ := os.Executable()
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "FAKE_CLAUDE=child")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		panic(err)
	}
	out.Read(make([]byte, 1))
}

// seen is what a fake claude got.
type seen struct {
	Args, Env     []string
	Input, System string
	Folder        string
	Files         int
}

func record() {
	var s seen
	in, _ := io.ReadAll(os.Stdin)
	s.Args, s.Env, s.Input = os.Args[1:], os.Environ(), string(in)
	s.Folder, _ = os.Getwd()
	files, _ := os.ReadDir(".")
	s.Files = len(files)
	for i, a := range s.Args {
		if a == "--system-prompt-file" {
			b, _ := os.ReadFile(s.Args[i+1])
			s.System = string(b)
		}
	}
	b, _ := json.Marshal(s)
	os.WriteFile(os.Getenv("FAKE_OUT"), b, 0o600)
}

// fake is a model whose program is this test's.
func fake(t *testing.T, how, result string) (m *Model, out string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	out = filepath.Join(dir, "out")
	t.Setenv("FAKE_CLAUDE", how)
	t.Setenv("FAKE_RESULT", result)
	t.Setenv("FAKE_OUT", out)
	m, err = New(Options{Program: self, Model: "haiku", Timeout: 2 * time.Minute,
		Lock: filepath.Join(dir, "locks", "claude.lock")})
	if err != nil {
		t.Fatal(err)
	}
	return m, out
}
