package library

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"time"

	"recall/ingest"
	"recall/library/disk"
)

// UnderLock calls do under the named lock. It waits up to lockWait, then returns ErrBusy. Anyone who takes a lock is
// about to write, so the error may also be ErrNewer.
func (l *Library) UnderLock(name string, do func() error) error {
	if err := l.ReadOnly(); err != nil {
		return err
	}
	unlock, err := l.Acquire(name, l.lockWait)
	if err != nil {
		return err
	}
	defer unlock()
	return do()
}

// WithSession calls do under the session's lock, with its entry as it is on disk now.
func (l *Library) WithSession(id ingest.SessionID, do func(e Entry) error) error {
	return l.UnderLock(SessionLock(id), func() error {
		e, err := l.reread(id)
		if err != nil {
			return err
		}
		return do(e)
	})
}

// withFolders calls do under the folders lock, after scanning the folders again if necessary.
func (l *Library) withFolders(do func() error) error {
	return l.UnderLock("folders", func() error {
		if err := l.refresh(); err != nil {
			return err
		}
		return do()
	})
}

// SessionLock returns the name of a session's lock. Several share one: to create a file for each takes longer than a
// session in 256 ever waits for another.
func SessionLock(id ingest.SessionID) string {
	return fmt.Sprintf("s-%02x", crc32.ChecksumIEEE([]byte(id))%256)
}

// Acquire takes a lock and returns the function that releases it. Its file stays.
func (l *Library) Acquire(name string, wait time.Duration) (unlock func(), err error) {
	dir := filepath.Join(l.dir, ".locks")
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	done := func() {}
	if name == "folders" {
		// All goroutines of this process want this lock: let them wait here instead of polling the file every
		// millisecond.
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
	if err := disk.OwnDir(dir); err != nil {
		return nil, err
	}
	f := disk.NewLock(filepath.Join(dir, name+".lock"))
	ok, err := f.TryLock() // a free lock is taken even if the time is already up
	if !ok && err == nil {
		ok, err = f.TryLockContext(ctx, time.Millisecond)
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
	return func() { f.Unlock(); done() }, nil
}
