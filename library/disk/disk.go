package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// An Op is one change on disk.
type Op struct {
	Kind     Kind
	Path, To string // To of a rename
}

type Kind string

const (
	OpWrite    Kind = "write"  // a new file, or all of one that may be lost
	OpAppend   Kind = "append" // to a file that may exist
	OpSync     Kind = "sync"
	OpSyncDir  Kind = "syncdir"
	OpRename   Kind = "rename"
	OpRemove   Kind = "remove"
	OpMakeDirs Kind = "mkdirs"
)

// A Doer makes a change on disk, by calling do, or fails it.
type Doer func(op Op, do func() error) error

// Through has every change in a library's folder made by a Doer from now on, nil for none.
func Through(dir string, by Doer) {
	Guard(dir)
	in, _ := opened.Load(dir)
	in.(*place).by.Store(&by)
}

// Do makes a change. The library makes all its changes through it.
func Do(kind Kind, path, to string, do func() error) error {
	if in, ok := opened.Load(libraryOf(path)); ok {
		if by := in.(*place).by.Load(); by != nil && *by != nil {
			return (*by)(Op{kind, path, to}, do)
		}
	}
	return do()
}

// unlessUnsupported returns nil for the error of a file system that doesn't support syncing, else err.
func unlessUnsupported(err error) error {
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOSYS) ||
		errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// SyncFile makes the content of an open file durable.
func SyncFile(f *os.File) error {
	return unlessUnsupported(Do(OpSync, f.Name(), "", f.Sync))
}

// SyncDir makes renames in a folder durable. Windows has no such call; its file system keeps the order.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	return unlessUnsupported(Do(OpSyncDir, dir, "", func() error {
		d, err := os.Open(dir)
		if err != nil {
			return err
		}
		return errors.Join(d.Sync(), d.Close())
	}))
}

// Create writes a new file. After an error nothing is left of it.
func Create(path string, write func(io.Writer) error) error {
	err := Do(OpWrite, path, "", func() error {
		f, err := OpenPlain(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	})
	if err != nil && !errors.Is(err, fs.ErrExist) {
		Unlink(path)
	}
	return err
}

// MakeDirs durably makes a folder and its parents. Those that exist must be real folders.
func MakeDirs(dir string) error {
	err := RealDir(dir)
	above := filepath.Dir(dir)
	_, library := opened.Load(dir)
	missing := errors.Is(err, fs.ErrNotExist)
	atTop := above == dir || err == nil && library
	if err != nil && !missing || atTop {
		return err
	}
	if err := MakeDirs(above); err != nil || !missing {
		return err
	}
	err = Do(OpMakeDirs, dir, "", func() error { return MakeDir(dir) })
	if errors.Is(err, fs.ErrExist) {
		return RealDir(dir) // somebody was faster
	}
	if err != nil {
		return err
	}
	return SyncDir(above)
}

// RemoveIfThere is Remove for a file that may be gone.
func RemoveIfThere(path string) error {
	if !Exists(path) {
		return nil
	}
	err := Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func Remove(path string) error {
	return Do(OpRemove, path, "", func() error { return Unlink(path) })
}

// Rename is os.Rename. Windows refuses it while an editor, a virus scanner or another recall has the file, or one in
// the folder, open; most close it soon.
func Rename(from, to string) error {
	return Do(OpRename, from, to, func() error {
		err := moveOver(from, to)
		for wait := time.Millisecond; runtime.GOOS == "windows" && wait < time.Second; wait *= 2 {
			if err == nil || errors.Is(err, fs.ErrNotExist) {
				break
			}
			time.Sleep(wait)
			err = moveOver(from, to)
		}
		return err
	})
}

// openAtOnce limits how many files are open while waiting for a sync.
const openAtOnce = 64

// SyncFiles makes files durable: it starts writing them all, then waits. Many small ones take little longer than one.
func SyncFiles(paths []string) (err error) {
	for some := range slices.Chunk(paths, openAtOnce) {
		var files []*os.File
		for _, path := range some {
			var f *os.File
			if f, err = OpenPlain(path, os.O_RDWR, 0); err != nil { // Windows syncs only files open for writing
				break
			}
			startWriting(f)
			files = append(files, f)
		}
		for _, f := range files {
			if err == nil {
				err = SyncFile(f)
			}
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Mark identifies a state of a file or folder by its size and time.
func Mark(path string) string {
	fi, err := os.Stat(path)
	if err != nil {
		return "none"
	}
	return MarkOf(fi)
}

// MarkOf is Mark of what was looked up.
func MarkOf(fi fs.FileInfo) string {
	return strconv.FormatInt(fi.Size(), 10) + " " + strconv.FormatInt(fi.ModTime().UnixNano(), 10)
}

// HasBytes reports whether a plain file of more than no bytes is there.
func HasBytes(path string) bool {
	fi, err := os.Lstat(path)
	return err == nil && fi.Mode().IsRegular() && fi.Size() > 0
}

// Used adds up the plain files below a folder, in bytes. What can't be read is reported elsewhere.
func Used(dir string) (n int64) {
	_ = Walk(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if fi, err := d.Info(); err == nil && fi.Mode().IsRegular() {
			n += fi.Size()
		}
		return nil
	})
	return n
}

// AppendAside appends to a file of unreadable lines.
func AppendAside(path string, text []byte) error {
	return Do(OpAppend, path, "", func() error {
		f, err := OpenPlain(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		_, err = f.Write(text)
		return errors.Join(err, f.Close())
	})
}

// Beside durably writes a temporary file beside path, outside of a library, for the caller to rename. It makes
// missing folders; after an error nothing is left.
func Beside(path string, write func(io.Writer) error) (temp string, err error) {
	return beside(path, write, SyncFile)
}

func beside(path string, write func(io.Writer) error, sync func(*os.File) error) (temp string, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".recall-*")
	if err != nil {
		return "", err
	}
	err = write(f)
	if err == nil {
		err = sync(f)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(f.Name())
	}
	return f.Name(), err
}

// Replace atomically replaces the content of a file outside of a library.
func Replace(path string, data []byte, mode fs.FileMode) error {
	temp, err := Beside(path, func(w io.Writer) error { _, err := w.Write(data); return err })
	if err != nil {
		return err
	}
	defer os.Remove(temp)
	if err := os.Chmod(temp, mode); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

// ReplaceCache atomically replaces a file outside of a library that may be lost: it doesn't wait for the disk. Only
// its user can read it.
func ReplaceCache(path string, data []byte) error {
	write := func(w io.Writer) error { _, err := w.Write(data); return err }
	temp, err := beside(path, write, func(*os.File) error { return nil })
	if err != nil {
		return err
	}
	defer os.Remove(temp)
	return os.Rename(temp, path)
}

// PutIn atomically replaces a file in a folder outside of a library. It doesn't write through links that lead out of
// the folder.
func PutIn(dir *os.Root, name string, text []byte) error {
	part := name + ".part"
	dir.Remove(part) // from an interrupted run
	f, err := dir.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = dir.Rename(part, name)
	}
	if err != nil {
		dir.Remove(part)
	}
	return err
}
