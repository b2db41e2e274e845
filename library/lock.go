package library

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"recall/ingest"
	"recall/library/disk"
)

// lock takes the lock of a name, waiting up to lockWait, and returns the call
// that gives it back. The error is ErrBusy if somebody else held it all along.
// Whoever takes one is about to write.
func (l *Library) lock(name string) (unlock func(), err error) {
	if err := l.upgrade(); err != nil {
		return nil, err
	}
	return l.acquire(name, l.lockWait)
}

func (l *Library) acquire(name string, wait time.Duration) (unlock func(), err error) {
	dir := filepath.Join(l.dir, ".locks")
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	done := func() {}
	if name == "folders" {
		// All of this process want it all the time: they wait in line here
		// rather than look at the file every millisecond.
		select {
		case l.inFolders <- struct{}{}:
			done = func() { <-l.inFolders }
		case <-ctx.Done():
			return nil, fmt.Errorf("lock %s: %w", name, ErrBusy)
		}
		defer func() {
			if err != nil {
				done()
			}
		}()
	}
	for {
		if err := disk.OwnDir(dir); err != nil {
			return nil, err
		}
		f := disk.NewLock(filepath.Join(dir, name+".lock"))
		ok, err := f.TryLock() // a free one is taken, however long it took to come here
		if !ok && err == nil {
			ok, err = f.TryLockContext(ctx, time.Millisecond)
		}
		if errors.Is(err, fs.ErrNotExist) && ctx.Err() == nil {
			continue // the folder was tidied away at this moment
		}
		if errors.Is(err, context.DeadlineExceeded) {
			return nil, fmt.Errorf("lock %s: %w", name, ErrBusy)
		}
		if fi, lerr := os.Lstat(f.Path()); err != nil && lerr == nil && !fi.Mode().IsRegular() {
			err = disk.NotPlain("open", f.Path())
		}
		if err != nil || !ok {
			return nil, fmt.Errorf("lock %s: %w", name, err)
		}
		if sameFile(f) {
			// Its file stays for the next time: to make one is the dearest part of
			// a lock. Close tidies them away.
			return func() { f.Unlock(); done() }, nil
		}
		f.Unlock() // it was tidied away while we waited
	}
}

func (l *Library) lockSession(id ingest.SessionID) (unlock func(), err error) {
	return l.lock("s-" + string(id))
}

// hold takes a session's lock, and gives its entry as it is on disk now.
func (l *Library) hold(id ingest.SessionID) (e Entry, unlock func(), err error) {
	if unlock, err = l.lockSession(id); err != nil {
		return e, nil, err
	}
	if e, err = l.reread(id); err != nil {
		unlock()
	}
	return e, unlock, err
}

// lockFolders takes the lock of folders, and looks at them again if it must.
func (l *Library) lockFolders() (unlock func(), err error) {
	if unlock, err = l.lock("folders"); err != nil {
		return nil, err
	}
	if err = l.refresh(); err != nil {
		unlock()
	}
	return unlock, err
}

// sameFile reports whether the locked file is still the one of that name.
func sameFile(f *flock.Flock) bool {
	held, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(f.Path())
	return err == nil && os.SameFile(held, named)
}

// removeLock gives a lock back and removes its file. Removing it while it is
// held is safe on Unix because lock checks sameFile; Windows refuses that, and
// refuses it after the release too if another has opened the file.
func removeLock(f *flock.Flock) {
	err := disk.Unlink(f.Path())
	f.Unlock()
	if err != nil {
		disk.Unlink(f.Path())
	}
}

// tidy removes .tmp and .locks where nobody is using them, and what dead
// processes left in them. It waits for nothing: what it can't have now is left
// for the next one.
func (l *Library) tidy() {
	tmp, locks := filepath.Join(l.dir, ".tmp"), filepath.Join(l.dir, ".locks")
	if l.ReadOnly() != nil || !disk.Exists(tmp) && !disk.Exists(locks) || disk.OwnDir(locks) != nil {
		return
	}
	folders := disk.NewLock(filepath.Join(locks, "folders.lock"))
	if ok, err := folders.TryLock(); !ok || err != nil {
		return
	}
	cleanStages(tmp)
	left, _ := disk.Glob(locks, "*.lock") // folders' too, which is held
	for _, path := range left {
		f := disk.NewLock(path)
		if ok, err := f.TryLock(); ok && err == nil {
			removeLock(f)
		}
	}
	// Without .tmp nobody goes by the generation, and nobody begins to while
	// folders are locked.
	if disk.Unlink(tmp); !disk.Exists(tmp) {
		disk.Unlink(filepath.Join(locks, "generation"))
	}
	removeLock(folders)
	disk.Unlink(locks)
}
