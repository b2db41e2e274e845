package index

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Several that find no index make it at the same time; each gets it.
func TestMadeTogether(t *testing.T) {
	for range 10 {
		path := filepath.Join(t.TempDir(), "index.db")
		var all sync.WaitGroup
		begin := make(chan struct{})
		for range 8 {
			all.Go(func() {
				<-begin
				x, err := Open(path)
				if err != nil {
					t.Error(err)
					return
				}
				x.Close()
			})
		}
		close(begin)
		all.Wait()
	}
}

// A folder in the file's place is removed as a damaged file is.
func TestFolderInPlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func(string) (*Index, error){"to write": Open, "to read": OpenRead} {
		if _, err := open(path); !errors.Is(err, ErrRebuild) {
			t.Errorf("%s: got %v, want ErrRebuild", name, err)
		}
	}
	if err := Remove(path); err != nil {
		t.Fatal(err)
	}
	x, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	x.Close()
}
