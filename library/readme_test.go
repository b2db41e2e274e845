package library

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The commands that README.md gives for restoring a file by hand do it.
func TestReadmeRestores(t *testing.T) {
	for _, tool := range []string{"sh", "zstd", "grep", "sha256sum"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("needs " + tool)
		}
	}
	src := t.TempDir()
	path := filepath.Join(src, "transcript.jsonl")
	l := newLib(t)
	text := ""
	for _, more := range []string{"one\n", "two\n", "three\n"} {
		text += more
		write(t, path, text)
		archive(t, l, find(t, id, src))
	}
	var script []string
	for line := range strings.Lines(string(readme)) {
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
