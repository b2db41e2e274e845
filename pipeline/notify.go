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

// notifier tells of changes below folders, at any depth, including folders made later. Many changes at once are
// reported once.
type notifier struct {
	changes chan struct{} // holds one
	w       *fsnotify.Watcher
	done    sync.WaitGroup
	files   int
}

// On macOS, watching keeps every file open; with more files than this, polling costs less.
const maxWatchedOnMac = 4000

// unwatched are folders that tools fill with files that belong to no session.
var unwatched = map[string]bool{"node_modules": true, ".git": true, ".venv": true, "venv": true, "__pycache__": true,
	".cache": true, "vm_bundles": true, "claude-code-vm": true}

var errTooMany = errors.New("too many files")

// newNotifier watches the given folders. One that doesn't exist yet is noticed when it is made, if its parent
// exists.
func newNotifier(dirs []string) (*notifier, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	t := &notifier{changes: make(chan struct{}, 1), w: w}
	for _, dir := range dirs {
		dir = RealOf(dir) // a root may be a link; below it none is followed
		if err := t.add(dir); err != nil {
			w.Close()
			return nil, err
		}
		if !ingest.IsFolder(dir) { // a file, and what its program writes beside it
			_ = w.Add(filepath.Dir(dir)) // if that is missing too, lookAnyway finds it
		}
	}
	t.done.Go(t.listen)
	return t, nil
}

func (t *notifier) stop() {
	t.w.Close()
	t.done.Wait()
}

// add watches a folder and everything below it.
func (t *notifier) add(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // gone again, or unreadable: the next look reports it
		}
		if t.files++; runtime.GOOS == "darwin" && t.files > maxWatchedOnMac {
			return errTooMany
		}
		if !d.IsDir() {
			return nil
		}
		if unwatched[d.Name()] {
			return fs.SkipDir
		}
		if err := t.w.Add(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("watch %s: %w", path, err)
		}
		return nil
	})
}

// listen passes on changes.
func (t *notifier) listen() {
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
					_ = t.add(e.Name) // lookAnyway finds what can't be watched
				}
			}
		case _, ok := <-t.w.Errors: // too many at once: some were dropped
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
