package library

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"recall/library/disk"
)

// put makes data the content of the file target: temporary file, sync, rename.
// The caller syncs the folder.
func (l *Library) put(target string, data []byte) error {
	return l.putAll([]newFile{{target, data}})
}

// putAll replaces several files, each whole, in the given order, after the
// content of all is on the disk. The caller syncs the folder.
func (l *Library) putAll(files []newFile) error {
	a, err := l.putAside(files, nil, nil)
	if err != nil {
		return err
	}
	defer a.drop()
	return a.place(len(files))
}

// aside are new contents of files that are on the disk, but not in their places.
type aside struct {
	files []newFile // without their data
	temps []string  // of the files, in the same order
}

// add writes the content of a file, which isn't held on to.
func (a *aside) add(l *Library, f newFile) error {
	temp, err := l.temp(func(w io.Writer) error { _, err := w.Write(f.data); return err })
	if err != nil {
		return err
	}
	a.files, a.temps = append(a.files, newFile{target: f.target}), append(a.temps, temp)
	return nil
}

// putAside writes the contents of files durably, those that were put aside before
// among them. The caller drops what it doesn't place.
func (l *Library) putAside(files []newFile, then *aside, last []newFile) (*aside, error) {
	a := &aside{}
	write := func(files []newFile) (err error) {
		for i := 0; i < len(files) && err == nil; i++ {
			err = a.add(l, files[i])
		}
		return err
	}
	err := write(files)
	if then != nil {
		a.files, a.temps = append(a.files, then.files...), append(a.temps, then.temps...)
		then.temps = nil
	}
	if err == nil {
		err = write(last)
	}
	if err == nil {
		err = disk.SyncFiles(a.temps)
	}
	if err != nil {
		a.drop()
		return nil, err
	}
	return a, nil
}

// place puts the next n files in their places, in order. The caller syncs the
// folder.
func (a *aside) place(n int) error {
	for ; n > 0; n-- {
		if err := disk.Rename(a.temps[0], a.files[0].target); err != nil {
			return err
		}
		a.temps, a.files = a.temps[1:], a.files[1:]
	}
	return nil
}

// drop removes what isn't in its place.
func (a *aside) drop() {
	for _, temp := range a.temps {
		disk.Unlink(temp)
	}
}

type newFile struct {
	target string
	data   []byte
}

// temp writes a new file in this process's folder under .tmp and returns its
// path; it isn't synced yet. Nothing is left of it if there is an error.
func (l *Library) temp(write func(io.Writer) error) (path string, err error) {
	path, err = l.tempName()
	if err != nil {
		return "", err
	}
	if err := disk.Create(path, write); err != nil {
		return "", err
	}
	return path, nil
}

// tempName is a path under .tmp that nothing else uses.
func (l *Library) tempName() (string, error) {
	l.stageMu.Lock()
	defer l.stageMu.Unlock()
	if err := l.beginStage(); err != nil {
		return "", err
	}
	l.stageN++
	return filepath.Join(l.stage, strconv.Itoa(l.stageN)), nil
}

func (l *Library) ensureStage() error {
	l.stageMu.Lock()
	defer l.stageMu.Unlock()
	return l.beginStage()
}

// beginStage makes this process's folder under .tmp and removes those of dead
// processes.
func (l *Library) beginStage() error {
	if l.stage != "" {
		return nil
	}
	if err := l.ReadOnly(); err != nil {
		return err
	}
	all := filepath.Join(l.dir, ".tmp")
	for try := 0; ; try++ {
		if err := disk.OwnDir(all); err != nil {
			return err
		}
		dir := filepath.Join(all, strconv.Itoa(os.Getpid())+"-"+strconv.FormatUint(rand.Uint64(), 36))
		err := disk.MakeDir(dir)
		if errors.Is(err, fs.ErrNotExist) && try < 10 {
			continue // somebody closed the library at this moment
		}
		if err != nil {
			return err
		}
		// The lock's file lies beside the folder, so that the folder can be
		// removed while the lock is held. A cleaner may be faster than the
		// lock: then the folder is gone again.
		lock := disk.NewLock(dir + ".lock")
		ok, err := lock.TryLock()
		if err == nil && ok && sameFile(lock) && disk.Exists(dir) {
			l.stage, l.stageLock = dir, lock
			break
		}
		lock.Unlock()
		if err != nil && !errors.Is(err, fs.ErrNotExist) || try > 10 {
			return fmt.Errorf("lock %s.lock: %w", dir, errors.Join(err, ErrBusy))
		}
	}
	cleanStages(all)
	return nil
}

// cleanStages removes the folders of processes that are gone.
func cleanStages(all string) {
	dirs, err := disk.ReadDir(all)
	if err != nil {
		return
	}
	for _, d := range dirs {
		name := filepath.Join(all, strings.TrimSuffix(d.Name(), ".lock"))
		lock := disk.NewLock(name + ".lock")
		if ok, err := lock.TryLock(); ok && err == nil {
			disk.UnlinkAll(name)
			removeLock(lock)
		}
	}
}

func (l *Library) endStage() {
	l.stageMu.Lock()
	defer l.stageMu.Unlock()
	if l.stage == "" {
		return
	}
	disk.UnlinkAll(l.stage)
	removeLock(l.stageLock)
	l.stage, l.stageLock = "", nil
}
