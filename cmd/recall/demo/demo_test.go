package demo

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestWriteIsPrivateAndRepeatable(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	claude, cowork, err := Write(first)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Write(second); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{claude, cowork} {
		if _, err := os.Stat(dir); err != nil {
			t.Errorf("root isn't there: %v", err)
		}
	}
	n := 0
	err = filepath.WalkDir(first, func(p string, e os.DirEntry, err error) error {
		if err != nil || p == first {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		want := os.FileMode(0o600)
		if e.IsDir() {
			want = 0o700
		}
		if got := info.Mode().Perm(); runtime.GOOS != "windows" && got != want {
			t.Errorf("%s: mode %o, want %o", p, got, want)
		}
		if e.IsDir() {
			return nil
		}
		n++
		rel, _ := filepath.Rel(first, p)
		a, _ := os.ReadFile(p)
		b, err := os.ReadFile(filepath.Join(second, rel))
		if err != nil || string(a) != string(b) {
			t.Errorf("%s differs between two runs (%v)", rel, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n < 30 {
		t.Errorf("got %d files, want at least 30", n)
	}
}

// A mistake in a script is told with its place.
func TestBadScripts(t *testing.T) {
	for text, want := range map[string]string{
		"cwd /x\n---\n": "s:1: no \"key: value\"",
		"start: 2026-09-01T08:00:00Z\n---\n@nod\n":               "s:3: @nod: unknown verb",
		"start: 2026-09-01T08:00:00Z\n---\n@rewind x\n":          "s:3: @rewind: no mark \"x\"",
		"start: 2026-09-01T08:00:00Z\n---\n@ask\nwhat?\n":        "s:3: @ask: not a line of a question: \"what?\"",
		"start: 2026-09-01T08:00:00Z\n---\n@mcp tool {\n":        "s:3: @mcp: input isn't JSON",
		"start: 2026-09-01T08:00:00Z\n---\n@wait soon\n":         "s:3: @wait: ",
		"start: yesterday\n---\n":                                "s: start: ",
		"start: 2026-09-01T08:00:00Z\nfork: none\ncut: x\n---\n": "fork of unknown",
	} {
		s, err := parse("s", text)
		if err == nil {
			_, err = tell(s, map[string]*script{"s": s})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}
