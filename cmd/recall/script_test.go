package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"recall/cmd/recall/config"
	_ "recall/library/ramdisk"
	"recall/serve/hooks"
)

// Most tests find by words alone: making vectors takes seconds, and what they are about doesn't depend on them.
const embedProvider = "RECALL_EMBED_PROVIDER"

// recall runs as a program of its own in the stories of testdata/script: what
// takes several steps. What one command says is recorded (TestRecorded).
func TestMain(m *testing.M) {
	tmp := os.Getenv("TMPDIR")
	if os.Getenv(embedProvider) == "" { // else it is recall, run by a test
		os.Setenv(embedProvider, config.EmbedOff)
		os.Unsetenv("TMPDIR") // recall is then a link to this program: a copy in memory starts later
	}
	testscript.Main(withServer{m, tmp}, map[string]func(){
		"recall": func() {
			if os.Getenv(patient) != "" {
				hooks.Slack = time.Minute
			}
			os.Exit(Main())
		},
		"on-tty": func() { os.Exit(onTTY(os.Args[1])) },
	})
}

// patient is set in stories, whose hooks may take their time.
const patient = "TEST_PATIENT"

// onTTY runs a line of a shell's, and returns when what it wrote to its terminal was read: testscript closes
// that as soon as the program is gone, and then loses what it hasn't read yet. No terminal holds as much as is
// written behind it.
func onTTY(line string) int {
	c := exec.Command("sh", "-c", line)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := c.Run()
	tty, openErr := os.OpenFile("/dev/tty", os.O_WRONLY, 0)
	if openErr == nil {
		_, openErr = tty.Write(bytes.Repeat([]byte("\n"), 1<<17))
	}
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return exit.ExitCode()
	}
	if err = errors.Join(err, openErr); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func TestScript(t *testing.T) {
	dir := filepath.Join("testdata", "script")
	var files []string
	if testing.Short() { // two that go through everything, for the slow race detector
		files = []string{filepath.Join(dir, "demo.txtar"), filepath.Join(dir, "sync.txtar")}
		dir = ""
	}
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		Files:               files,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		RequireExplicitExec: true,
		Cmds:                storyCmds(),
		Condition: func(name string) (bool, error) {
			if name == "root" { // for whom permissions are no obstacle
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Setup: func(env *testscript.Env) error { return atHome(env.WorkDir, env.Setenv) },
	})
}

// atHome makes a home in a folder and has recall be at home there.
func atHome(dir string, setenv func(key, value string)) error {
	home := filepath.Join(dir, "home")
	for _, v := range [][2]string{
		{"HOME", home}, {"USERPROFILE", home}, {"XDG_CACHE_HOME", filepath.Join(home, "cache")},
		{"LocalAppData", filepath.Join(home, "cache")},
		{"XDG_CONFIG_HOME", filepath.Join(home, "config")}, {"AppData", filepath.Join(home, "config")},
		{"TZ", "UTC"}, {"NO_COLOR", "1"}, {embedProvider, os.Getenv(embedProvider)}, {"EDITOR", ""}, {"VISUAL", ""},
		{"GOGC", os.Getenv("GOGC")}, {"GOMEMLIMIT", os.Getenv("GOMEMLIMIT")},
		{"RECALL_QUERY_BUDGET", "1m"}, {patient, "1"}, // however busy the machine is
	} {
		setenv(v[0], v[1])
	}
	return os.MkdirAll(home, 0o700)
}
