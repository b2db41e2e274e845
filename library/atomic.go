package library

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"recall/library/disk"
)

// put makes data the content of the file target, durably: temporary file, sync, rename.
func (l *Library) put(target string, data []byte) error {
	a := &aside{l: l}
	defer a.drop()
	err := a.add(target, data)
	if err == nil {
		err = disk.SyncFiles(a.temps)
	}
	if err == nil {
		err = a.place(1)
	}
	if err == nil {
		err = disk.SyncDir(filepath.Dir(target))
	}
	return err
}

// aside are new contents of files that aren't in their places yet.
type aside struct {
	l              *Library
	targets, temps []string // in the same order
}

// add writes the content of a file.
func (a *aside) add(target string, data []byte) error {
	temp, err := a.l.temp(func(w io.Writer) error { _, err := w.Write(data); return err })
	if err == nil {
		a.targets, a.temps = append(a.targets, target), append(a.temps, temp)
	}
	return err
}

// place puts the next n files in their places, in order. The caller syncs the folder.
func (a *aside) place(n int) error {
	for ; n > 0; n-- {
		if err := disk.Rename(a.temps[0], a.targets[0]); err != nil {
			return err
		}
		a.temps, a.targets = a.temps[1:], a.targets[1:]
	}
	return nil
}

// drop removes what isn't in its place.
func (a *aside) drop() {
	for _, temp := range a.temps {
		disk.Unlink(temp)
	}
}

// temp writes a new file in this process's folder under .tmp, not synced yet; nothing is left after an error.
func (l *Library) temp(write func(io.Writer) error) (path string, err error) {
	if path, err = l.tempName(); err == nil {
		err = disk.Create(path, write)
	}
	return path, err
}

// TempOf is Temp of what a stream has.
func (l Inside) TempOf(r io.Reader) (path string, sum disk.Sums, err error) {
	path, err = l.temp(func(w io.Writer) (err error) {
		sum, err = disk.Sum(io.TeeReader(r, w))
		return err
	})
	return path, sum, err
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

// beginStage makes this process's folder under .tmp and removes those of dead processes.
func (l *Library) beginStage() error {
	if l.stage != "" && disk.Exists(l.stage) {
		return nil
	}
	if l.stage != "" { // another folder was put in the library's place: a copy brought back, a disk
		l.stageLock.Unlock()
		l.stage, l.stageLock = "", nil
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
		// The lock's file lies beside the folder, so that that can be removed under lock. A cleaner may be faster: then
		// the folder is gone again.
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

// replaceShared puts text, made of what was read of it, in the place of a file that anybody may append to without a
// lock. What was appended since, to the file that goes, is appended to the new one as keep leaves it (nil for all).
func (l *Library) replaceShared(path string, was, text []byte, keep func(line []byte) bool) error {
	if runtime.GOOS == "windows" { // it refuses to replace an open file
		return l.put(path, text)
	}
	old, err := disk.Open(path)
	if err != nil {
		return err
	}
	defer old.Close()
	if err := l.put(path, text); err != nil {
		return err
	}
	// Who had opened it before it went writes at once; so one more look a little
	// later. Who is slower than that finds the new file by itself (appendShared).
	read := wholeLines(was)
	for range 2 {
		late, err := io.ReadAll(io.NewSectionReader(old, read, 1<<40))
		if err != nil {
			return err
		}
		read += wholeLines(late)
		var lines []byte
		for _, line := range disk.SplitLines(late) {
			if keep == nil || keep(line) {
				lines = append(append(lines, line...), '\n')
			}
		}
		if len(lines) > 0 {
			if err := disk.AppendShared(path, lines); err != nil {
				return err
			}
		}
		time.Sleep(disk.AMoment / 2)
	}
	return nil
}

// wholeLines is how many bytes a text's lines have, without what somebody still writes: who reads meanwhile may see
// the half of a line.
func wholeLines(text []byte) int64 {
	end := bytes.LastIndexByte(text, '\n') + 1
	if disk.Unended(text[end:]) != nil {
		end = len(text)
	}
	return int64(end)
}
