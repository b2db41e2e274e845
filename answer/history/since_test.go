package history

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/payload"
)

// Only files that are there, inside the project, are asked of git.
func TestFilesOf(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"src/a.go", "Makefile", "../outside.go"} {
		path := filepath.Join(root, "p", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	it := payload.Item{About: []string{"src/a.go:44", "src/gone.go", "../outside.go", "ProcessQueue", "Makefile", "src",
		"--all", "-x/../src/a.go", filepath.Join(root, "p", "src", "a.go")}}
	got := slices.Compact(filesOf(filepath.Join(root, "p"), it))
	if diff := cmp.Diff([]string{"src/a.go"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"src/a.go": 2},
		countCommits("\x00\n\nsrc/a.go\n\x00\n\nsrc/a.go\nsrc/b.go\n\x00\n\nsrc/b.go\n",
			map[string]string{"src/a.go": "src/a.go"})); diff != "" {
		t.Errorf("commits (-want +got)\n%s", diff)
	}
}
