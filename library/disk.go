package library

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
)

// A diskOp is one change of the disk.
type diskOp struct {
	Kind     diskKind
	Path, To string // To of a rename or a link
}

type diskKind string

const (
	opWrite    diskKind = "write"  // a new file, or all of one that isn't precious
	opAppend   diskKind = "append" // to a file that may be there
	opSync     diskKind = "sync"
	opSyncDir  diskKind = "syncdir"
	opRename   diskKind = "rename"
	opLink     diskKind = "link"
	opRemove   diskKind = "remove"
	opMakeDirs diskKind = "mkdirs"
)

// diskTap, where a test has put one, does each change itself, or fails it. The
// library makes no change of the disk but through it.
var diskTap func(op diskOp, do func() error) error

func onDisk(kind diskKind, path, to string, do func() error) error {
	if diskTap != nil {
		return diskTap(diskOp{kind, path, to}, do)
	}
	return do()
}

// unsynced says that a file system refused to make something durable.
var unsynced atomic.Bool

// refused tells a file system that can't sync from one that failed to.
func refused(err error) error {
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOSYS) || errors.Is(err, errors.ErrUnsupported) {
		unsynced.Store(true)
		return nil
	}
	return err
}

// syncFile makes the content of an open file durable.
func syncFile(f *os.File) error {
	return refused(onDisk(opSync, f.Name(), "", f.Sync))
}

// syncDir makes renames in a folder durable. Windows has no such call: its
// file system keeps the order itself.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	return refused(onDisk(opSyncDir, dir, "", func() error {
		d, err := os.Open(dir)
		if err != nil {
			return err
		}
		err = d.Sync()
		if err2 := d.Close(); err == nil {
			err = err2
		}
		return err
	}))
}

// create writes a new file; nothing is left of it if there is an error.
func create(path string, write func(io.Writer) error) error {
	err := onDisk(opWrite, path, "", func() error {
		f, err := OpenPlain(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		err = write(f)
		if err2 := f.Close(); err == nil {
			err = err2
		}
		return err
	})
	if err != nil && !errors.Is(err, os.ErrExist) {
		unlink(path)
	}
	return err
}

// overwrite makes data the content of a file that may be lost.
func overwrite(path string, data []byte) error {
	return onDisk(opWrite, path, "", func() error { return WritePlain(path, data) })
}

// makeDirs makes a folder and those above it, durably. All that are there must be real
// ones.
func makeDirs(dir string) error {
	err := realDir(dir)
	above := filepath.Dir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) || above == dir {
		return err
	}
	missing := err != nil
	if err := makeDirs(above); err != nil || !missing {
		return err
	}
	err = onDisk(opMakeDirs, dir, "", func() error { return makeDir(dir) })
	if errors.Is(err, fs.ErrExist) {
		return realDir(dir) // somebody was faster
	}
	if err != nil {
		return err
	}
	return syncDir(above)
}

func remove(path string) error {
	return onDisk(opRemove, path, "", func() error { return unlink(path) })
}

// link gives a file a second name.
func link(from, to string) error {
	return onDisk(opLink, from, to, func() error { return secondName(from, to) })
}

// rename is os.Rename. Windows refuses it while somebody has the file, or one in
// the folder, open: an editor, a virus scanner, another recall that reads. Most
// let go of it soon.
func rename(from, to string) error {
	return onDisk(opRename, from, to, func() error { return renameSoon(from, to) })
}

func renameSoon(from, to string) error {
	err := moveOver(from, to)
	for wait := time.Millisecond; runtime.GOOS == "windows" && wait < time.Second; wait *= 2 {
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			break
		}
		time.Sleep(wait)
		err = moveOver(from, to)
	}
	return err
}

// syncFiles makes the content of files durable: all are given to the disk
// first, then waited for. Many small files cost little more than one.
func syncFiles(paths []string) error {
	const openAtOnce = 64
	for len(paths) > 0 {
		n := min(len(paths), openAtOnce)
		if err := syncSome(paths[:n]); err != nil {
			return err
		}
		paths = paths[n:]
	}
	return nil
}

func syncSome(paths []string) (err error) {
	var files []*os.File
	defer func() {
		for _, f := range files {
			if err2 := f.Close(); err == nil {
				err = err2
			}
		}
	}()
	for _, path := range paths {
		f, err := OpenPlain(path, os.O_RDWR, 0) // Windows syncs only what it may write
		if err != nil {
			return err
		}
		files = append(files, f)
		startWriting(f)
	}
	for _, f := range files {
		if err := syncFile(f); err != nil {
			return err
		}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
