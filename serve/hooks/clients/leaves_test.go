package clients

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
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

// What a killed install left beside a file goes with the next change; what is being written, or isn't recall's, stays.
func TestChangeSweepsUp(t *testing.T) {
	dir := t.TempDir()
	long := time.Now().Add(-time.Minute)
	for name, at := range map[string]time.Time{".recall-12": long, ".recall-34": time.Now(), ".recall-notes": long} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	in, err := inConfig(filepath.Join(dir, ".claude.json")).Plan(&Program{Path: "/bin/recall"}, Server)
	if err == nil {
		err = in.Do()
	}
	left, _ := filepath.Glob(filepath.Join(dir, ".recall-*"))
	if err != nil || len(left) != 2 || filepath.Base(left[0]) != ".recall-34" {
		t.Errorf("%v; left: %q", err, left)
	}
}
