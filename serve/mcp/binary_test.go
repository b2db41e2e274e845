package mcp

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	_ "recall/library/ramdisk"
)

// binary is recall as a program, built once.
var binary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "recall")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", path, "recall/cmd/recall").CombinedOutput()
	if err != nil {
		err = &buildError{err, out}
	}
	return path, err
})

type buildError struct {
	err error
	out []byte
}

func (e *buildError) Error() string { return e.err.Error() + ": " + string(e.out) }

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "recall-mcp-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

// scratch is a folder for what several tests share.
var scratch string

// world is a home of its own with the demo's library.
type world struct {
	t       *testing.T
	home    string
	program string
	library string
	env     []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped: -short; it builds and runs the program")
	}
	program, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, program: program}
	w.live(t.TempDir())
	return w
}

// live gives the world a home.
func (w *world) live(home string) {
	w.home = home
	w.env = []string{"HOME=" + w.home, "USERPROFILE=" + w.home, "XDG_CACHE_HOME=" + filepath.Join(w.home, "cache"),
		"LocalAppData=" + filepath.Join(w.home, "cache"),
		"XDG_CONFIG_HOME=" + filepath.Join(w.home, "config"), "AppData=" + filepath.Join(w.home, "config"), "TZ=UTC",
		"PATH=" + os.Getenv("PATH")}
}

var demoOnce sync.Once

// demo moves into the world of the invented sessions, which all tests share:
// nothing but notes is added to it.
func (w *world) demo() *world {
	w.t.Helper()
	w.live(filepath.Join(scratch, "home"))
	dir := filepath.Join(scratch, "demo")
	demoOnce.Do(func() { w.recall("demo", "--dir", dir) })
	w.library = filepath.Join(dir, "Recall")
	return w
}

func (w *world) command(args ...string) *exec.Cmd {
	cmd := exec.Command(w.program, args...)
	cmd.Dir, cmd.Env = scratch, w.env
	if w.library != "" {
		cmd.Env = append(cmd.Env, "RECALL_LIBRARY_DIR="+w.library)
	}
	return cmd
}

func (w *world) recall(args ...string) string {
	w.t.Helper()
	out, err := w.command(args...).CombinedOutput()
	if err != nil {
		w.t.Fatalf("recall %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// connect starts recall mcp and connects the SDK's own client to it. env is
// added to the world's.
func (w *world) connect(env ...string) (*mcp.ClientSession, *exec.Cmd) {
	w.t.Helper()
	cmd := w.command("mcp")
	cmd.Env = append(cmd.Env, env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	ctx, cancel := context.WithTimeout(w.t.Context(), 2*time.Minute)
	defer cancel()
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd, TerminateDuration: 10 * time.Second}, nil)
	if err != nil {
		w.t.Fatalf("connect: %v\n%s", err, stderr.String())
	}
	w.t.Cleanup(func() {
		session.Close()
		if w.t.Failed() && stderr.Len() > 0 {
			w.t.Logf("stderr of recall mcp:\n%s", stderr.String())
		}
	})
	return session, cmd
}

// call calls a tool, and returns its text and whether that is an error.
func call(t *testing.T, s *mcp.ClientSession, tool string, args map[string]any) (string, bool) {
	t.Helper()
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s %v: %v", tool, args, err)
	}
	if res.StructuredContent != nil || len(res.Content) != 1 { // which a model would read, and pay for, twice
		t.Errorf("%s: got %d contents and structured %v, want one text", tool, len(res.Content), res.StructuredContent)
	}
	text, ok := res.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("%s: got content %T, want text", tool, res.Content[0])
	}
	return text.Text, res.IsError
}
