package pipeline_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/pipeline"
)

// What is parsed is what was archived, whatever became of the source meanwhile.
func TestSourceChangesBeforeItIsParsed(t *testing.T) {
	want := open(t, t.TempDir())
	root := t.TempDir()
	for _, k := range crowd() {
		k.write(t, root)
	}
	syncAll(t, want, root)
	for name, change := range map[string]func(path string, data []byte) error{
		"other words, as long": func(path string, data []byte) error {
			return os.WriteFile(path, bytes.ReplaceAll(data, []byte("Postgres"), []byte("Memcache")), 0o600)
		},
		"shorter": func(path string, data []byte) error { return os.WriteFile(path, data[:len(data)/2], 0o600) },
		"grown":   func(path string, data []byte) error { return os.WriteFile(path, append(data, data...), 0o600) },
		"gone":    func(path string, data []byte) error { return os.Remove(path) },
		"a folder": func(path string, data []byte) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.Mkdir(path, 0o700)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, k := range crowd() {
				k.write(t, root)
			}
			p := open(t, t.TempDir())
			p.Progress = func(s pipeline.Progress) {
				if s.Stage != "archive" || s.Done != s.Total {
					return
				}
				files, err := filepath.Glob(filepath.Join(root, "projects", "*", "*.jsonl"))
				if err != nil || len(files) == 0 {
					t.Error(files, err)
				}
				for _, path := range files {
					data, err := os.ReadFile(path)
					if err == nil {
						err = change(path, data)
					}
					if err != nil {
						t.Error(err)
					}
				}
			}
			syncAll(t, p, root)
			if diff := cmp.Diff(items(t, want.Library), items(t, p.Library)); diff != "" {
				t.Errorf("items (-of what was archived +got):\n%s", diff)
			}
			if err := os.RemoveAll(filepath.Join(root, "projects")); err != nil {
				t.Fatal(err)
			}
		})
	}
}
