package index

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
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

// What SQLite keeps beside the file is for its owner alone, whoever opens it first.
func TestBesideIsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no rights of this kind")
	}
	path := filepath.Join(t.TempDir(), "index.db")
	made, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	made.Close() // what is beside it goes
	for name, open := range map[string]func(string) (*Index, error){"to write": Open, "to read": OpenRead} {
		x, err := open(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := x.version(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, end := range []string{"", "-wal", "-shm"} {
			info, err := os.Stat(path + end)
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: index.db%s: %v, %v; want rights of its owner alone", name, end, info.Mode(), err)
			}
		}
		x.Close()
	}
}
