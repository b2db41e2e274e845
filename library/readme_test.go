package library_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "recall/library"
)

// The commands that README.md gives for restoring a file by hand do it.
func TestReadmeRestores(t *testing.T) {
	for _, tool := range []string{"sh", "zstd", "grep", "awk", "sha256sum"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("needs " + tool)
		}
	}
	src := t.TempDir()
	path := filepath.Join(src, "transcript.jsonl")
	l := newLib(t)
	text := ""
	for i := range 30 { // small segments are stored again together on the way
		text += fmt.Sprintln("line", i)
		write(t, path, text)
		archive(t, l, find(t, id, src))
	}
	restoreByHand(t, l, text)
}

func restoreByHand(t *testing.T, l *Library, text string) {
	t.Helper()
	var script []string
	for line := range strings.Lines(string(Readme)) {
		if code, ok := strings.CutPrefix(line, "    "); ok && !strings.HasPrefix(code, "<") {
			script = append(script, code)
		}
	}
	e, err := l.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-ec", strings.Join(script, ""))
	cmd.Dir = e.Folder
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got, _ := os.ReadFile(filepath.Join(e.Folder, "raw", "transcript.jsonl"))
	if string(got) != text {
		t.Errorf("restored %q, want %q", got, text)
	}
	if !strings.Contains(string(out), e.Files[0].Sum) {
		t.Errorf("sha256sum says %s, want %s", out, e.Files[0].Sum)
	}
}
