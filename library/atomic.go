package library

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"recall/ingest"
	"recall/library/disk"
)

// Put durably replaces the content of the file target: temporary file, sync, rename.
func (l *Library) Put(target string, data []byte) error {
	a := &pendingFiles{l: l}
	defer a.drop()
	err := a.add(target, data)
	if err == nil {
		err = disk.SyncFiles(a.temps)
	}
	if err == nil {
		err = a.place()
	}
	if err == nil {
		err = disk.SyncDir(filepath.Dir(target))
	}
	return err
}

// pendingFiles holds new contents of files that aren't in place yet.
type pendingFiles struct {
	l              *Library
	targets, temps []string // in the same order
}

// add writes the new content of target to a temporary file.
func (a *pendingFiles) add(target string, data []byte) error {
	temp, err := a.l.Temp(func(w io.Writer) error { _, err := w.Write(data); return err })
	if err == nil {
		a.targets, a.temps = append(a.targets, target), append(a.temps, temp)
	}
	return err
}

// place moves the files into place, in order. The caller syncs the folder.
func (a *pendingFiles) place() error {
	for len(a.temps) > 0 {
		if err := disk.Rename(a.temps[0], a.targets[0]); err != nil {
			return err
		}
		a.temps, a.targets = a.temps[1:], a.targets[1:]
	}
	return nil
}

// drop removes what was not placed.
func (a *pendingFiles) drop() {
	for _, temp := range a.temps {
		disk.Unlink(temp)
	}
}

// Temp writes a new file in this process's folder under .tmp. It doesn't sync it; after an error nothing is left.
func (l *Library) Temp(write func(io.Writer) error) (path string, err error) {
	if path, err = l.tempName(); err == nil {
		err = disk.Create(path, write)
	}
	return path, err
}

// TempOf is Temp with the content of a stream.
func (l *Library) TempOf(r io.Reader) (path string, sum disk.Sums, err error) {
	path, err = l.Temp(func(w io.Writer) (err error) {
		sum, err = disk.Sum(io.TeeReader(r, w))
		return err
	})
	return path, sum, err
}

// tempName returns a path under .tmp that nothing else uses.
func (l *Library) tempName() (string, error) {
	l.stageMu.Lock()
	defer l.stageMu.Unlock()
	if err := l.beginStage(); err != nil {
		return "", err
	}
	l.stageN++
	return filepath.Join(l.stage, strconv.Itoa(l.stageN)), nil
}

// beginStage makes this process's folder under .tmp. Whoever has one there holds a shared lock: if nobody does, what is
// left is of dead processes, and is removed.
func (l *Library) beginStage() error {
	if l.stage != "" && disk.Exists(l.stage) {
		return nil
	}
	if l.stage != "" { // the library's folder was replaced: a restored copy, another disk
		l.stageLock.Unlock()
		l.stage, l.stageLock = "", nil
	}
	if err := l.ReadOnly(); err != nil {
		return err
	}
	all, locks := filepath.Join(l.dir, ".tmp"), filepath.Join(l.dir, ".locks")
	if err := cmp.Or(disk.OwnDir(all), disk.OwnDir(locks)); err != nil {
		return err
	}
	lock := disk.NewLock(filepath.Join(locks, "tmp.lock"))
	if alone, err := lock.TryLock(); alone && err == nil {
		left, _ := disk.ReadDir(all)
		for _, d := range left {
			disk.UnlinkAll(filepath.Join(all, d.Name()))
		}
		lock.Unlock()
	}
	ctx, cancel := context.WithTimeout(context.Background(), l.lockWait)
	defer cancel()
	if _, err := lock.TryRLockContext(ctx, time.Millisecond); err != nil {
		return fmt.Errorf("lock %s: %w", all, errors.Join(err, ErrBusy))
	}
	dir := filepath.Join(all, strconv.Itoa(os.Getpid())+"-"+strconv.FormatUint(rand.Uint64(), 36))
	if err := disk.MakeDir(dir); err != nil {
		lock.Unlock()
		return err
	}
	l.stage, l.stageLock = dir, lock
	return nil
}

func (l *Library) endStage() {
	l.stageMu.Lock()
	defer l.stageMu.Unlock()
	if l.stage == "" {
		return
	}
	disk.UnlinkAll(l.stage)
	l.stageLock.Unlock()
	l.stage, l.stageLock = "", nil
}

// ReplaceShared changes the text of a file at the top that anybody may append to. Whoever appends meanwhile waits, see
// Share.
func (l *Library) ReplaceShared(path string, change func(text []byte) ([]byte, error)) error {
	return l.Appending(func() error {
		text, err := disk.ReadPlain(path)
		if err != nil {
			return err
		}
		now, err := change(text)
		if err != nil || bytes.Equal(now, text) {
			return err
		}
		return l.Put(path, now)
	})
}

// Appending calls do while nobody else appends to a file at the top. Nothing else is waited for meanwhile.
func (l *Library) Appending(do func() error) error {
	unlock, err := l.Acquire("append", appendWait)
	if err != nil {
		return err
	}
	defer unlock()
	return do()
}

// appendWait is how long whoever replaces a file waits for those who append; see Share for these.
const appendWait = 10 * time.Second

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
