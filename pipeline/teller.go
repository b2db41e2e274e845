package pipeline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/fsnotify/fsnotify"

	"recall/ingest"
)

// teller tells of changes below folders, however deep, those of folders made
// later too. Many changes at once are told once.
type teller struct {
	changes chan struct{} // holds one
	w       *fsnotify.Watcher
	done    sync.WaitGroup
	files   int
}

// macOS is told of changes by holding every file open; more than this and
// looking by the clock costs less.
const mostOnMac = 4000

// notTold are folders that tools fill with what is no session's.
var notTold = map[string]bool{"node_modules": true, ".git": true, ".venv": true, "venv": true, "__pycache__": true,
	".cache":     true,
	"vm_bundles": true, "claude-code-vm": true}

var errTooMany = errors.New("too many files")

// newTeller watches the given folders. One that isn't there yet is noticed when
// it is made, if the one above it is there.
func newTeller(dirs []string) (*teller, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	t := &teller{changes: make(chan struct{}, 1), w: w}
	for _, dir := range dirs {
		dir = RealOf(dir) // a root may be a link; nothing below it is followed
		if err := t.add(dir); err != nil {
			w.Close()
			return nil, err
		}
		if !ingest.IsFolder(dir) { // for a file, and what its program writes beside it
			_ = w.Add(filepath.Dir(dir)) // if that isn't there either, lookAnyway finds it
		}
	}
	t.done.Go(t.listen)
	return t, nil
}

func (t *teller) stop() {
	t.w.Close()
	t.done.Wait()
}

// add watches a folder and all below it.
func (t *teller) add(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // gone again, or not ours to look at: the look itself reports it
		}
		if t.files++; runtime.GOOS == "darwin" && t.files > mostOnMac {
			return errTooMany
		}
		if !d.IsDir() {
			return nil
		}
		if notTold[d.Name()] {
			return fs.SkipDir
		}
		if err := t.w.Add(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("watch %s: %w", path, err)
		}
		return nil
	})
}

// listen passes on that something has changed.
func (t *teller) listen() {
	for {
		select {
		case e, ok := <-t.w.Events:
			if !ok {
				return
			}
			if e.Op == fsnotify.Chmod {
				continue
			}
			if e.Has(fsnotify.Create) {
				if fi, err := os.Lstat(e.Name); err == nil && fi.IsDir() {
					_ = t.add(e.Name) // what can't be watched is found by lookAnyway
				}
			}
		case _, ok := <-t.w.Errors: // too many at once: some were lost
			if !ok {
				return
			}
		}
		select {
		case t.changes <- struct{}{}:
		default:
		}
	}
}
