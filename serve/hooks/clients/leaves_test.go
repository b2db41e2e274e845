package clients

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A client writes to its own file all the time: what was put there goes, what it
// wrote stays, and no copy from before is left lying about.
func TestUninstallLeavesNoCopy(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".claude.json")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("{\n  \"numStartups\": 12\n}\n")
	code := inConfig(path)
	in, err := code.Plan(&Program{Path: "/bin/recall"}, Server)
	if err == nil {
		err = in.Do()
	}
	if err != nil || in.Backup == "" {
		t.Fatalf("got %v, copy %q", err, in.Backup)
	}
	text, _ := os.ReadFile(path)
	write(strings.Replace(string(text), "12", "13", 1))
	out, err := code.Plan(nil, Server)
	if err == nil {
		err = out.Do()
	}
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), "recall") ||
		!strings.Contains(string(text), "13") {
		t.Errorf("got %s, %v, want the client's own change and no server", text, err)
	}
	left, err := filepath.Glob(path + "?*")
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}
