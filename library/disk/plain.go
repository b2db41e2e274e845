// Package disk is the library's access to the file system: only plain files and real folders, changes that tests can
// fail one by one, and checksums in what is written.
package disk

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/gofrs/flock"
)

// Files in a library may have been put there by somebody else, with a cloned repository or an unpacked archive. So
// nothing in it is read, written, emptied or deleted through a link, and no pipe or device is opened. (The library's
// own folder may be a link.) All access to files goes through this package; a test enforces that.

// ErrNotPlain means that a link, a pipe or a device is where a plain file or a real folder belongs.
var ErrNotPlain = errors.New("not a plain file or folder: recall follows no links inside a library; replace " +
	"the link with its target")

// ErrForeign means that the library belongs to another user.
var ErrForeign = errors.New("the library belongs to another user, who could change what recall says and does")

// opened has the folders of the libraries that this process opened, each with its *place.
var opened sync.Map

// A place is an open library's folder.
type place struct{ by atomic.Pointer[Doer] }

// Guard makes files in a library's folder be reached by a handle on that folder from now on.
func Guard(dir string) { opened.LoadOrStore(dir, &place{}) }

// libraryAbove returns the folder of the open library that contains path, or "".
func libraryAbove(path string) string { return libraryOf(filepath.Dir(path)) }

// libraryOf returns the folder of the open library that is path or contains it, or "".
func libraryOf(path string) string {
	for dir := path; ; dir = filepath.Dir(dir) {
		if _, ok := opened.Load(dir); ok {
			return dir
		}
		if filepath.Dir(dir) == dir {
			return ""
		}
	}
}

// inRoot calls do with a handle on the folder above a path. Nothing outside that folder can be reached by it, even if a
// part of the path becomes a link meanwhile.
func inRoot(path string, do func(root *os.Root, name string) error) error {
	dir := cmp.Or(libraryAbove(path), filepath.Dir(path))
	root, err := OpenRoot(dir)
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return &fs.PathError{Op: "open", Path: path, Err: p.Err} // the path that was wanted, not its folder
	}
	if err != nil {
		return err
	}
	defer root.Close()
	name, err := filepath.Rel(dir, path)
	if err != nil {
		return err
	}
	return fullPaths(do(root, name), dir)
}

// OpenRoot is os.OpenRoot, which would wait if a pipe is in the place of the folder.
func OpenRoot(dir string) (*os.Root, error) {
	if fi, err := os.Stat(dir); err == nil && !fi.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: syscall.ENOTDIR}
	}
	return os.OpenRoot(dir)
}

// fullPaths gives a Root's error the whole path, and ErrNotPlain for a link that leads out of it.
func fullPaths(err error, dir string) error {
	var p *fs.PathError
	var k *os.LinkError
	switch {
	case errors.As(err, &p) && !filepath.IsAbs(p.Path):
		return cmp.Or(linkAbove(p.Path, dir),
			error(&fs.PathError{Op: strings.TrimSuffix(p.Op, "at"), Path: filepath.Join(dir, p.Path), Err: p.Err}))
	case errors.As(err, &k):
		from, to := filepath.Join(dir, k.Old), filepath.Join(dir, k.New)
		return cmp.Or(linkAbove(k.Old, dir), linkAbove(k.New, dir),
			error(&os.LinkError{Op: strings.TrimSuffix(k.Op, "at"), Old: from, New: to, Err: k.Err}))
	}
	return err
}

// linkAbove returns ErrNotPlain if a name below a folder is behind a link.
func linkAbove(name, dir string) error {
	for name = filepath.Dir(name); filepath.Dir(name) != name; name = filepath.Dir(name) {
		if fi, err := os.Lstat(filepath.Join(dir, name)); err == nil &&
			fi.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0 {
			return NotPlain("open", filepath.Join(dir, name))
		}
	}
	return nil
}

// OpenPlain opens a plain file like os.OpenFile; the error is ErrNotPlain for anything else.
func OpenPlain(path string, flag int, perm fs.FileMode) (f *os.File, err error) {
	err = inRoot(path, func(root *os.Root, name string) error {
		if flag&os.O_EXCL != 0 { // a new file needs no check
			f, err = root.OpenFile(name, flag, perm)
			return err
		}
		fi, err := root.Lstat(name)
		if err == nil && !fi.Mode().IsRegular() {
			return NotPlain("open", path)
		}
		if f, err = root.OpenFile(name, flag|noFollow|noWait, perm); err != nil {
			return err
		}
		if fi, err = f.Stat(); err == nil && !fi.Mode().IsRegular() { // it was swapped meanwhile
			err = NotPlain("open", path)
		}
		if err != nil {
			f.Close()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Unlink removes a file, a link or an empty folder.
func Unlink(path string) error {
	return inRoot(path, func(root *os.Root, name string) error { return root.Remove(name) })
}

// UnlinkAll removes a folder and everything in it, without following links.
func UnlinkAll(path string) error {
	if !Exists(path) {
		return nil
	}
	return inRoot(path, func(root *os.Root, name string) error { return root.RemoveAll(name) })
}

// moveOver is os.Rename within a library.
func moveOver(from, to string) error {
	return inRoot(to, func(root *os.Root, name string) error {
		old, err := filepath.Rel(root.Name(), from)
		if err != nil || !filepath.IsLocal(old) {
			return os.Rename(from, to) // out of a library
		}
		return root.Rename(old, name)
	})
}

// MakeDir makes a folder.
func MakeDir(dir string) error {
	return inRoot(dir, func(root *os.Root, name string) error { return root.Mkdir(name, 0o700) })
}

// MakeAllDirs makes a folder and those above it.
func MakeAllDirs(dir string) error {
	if libraryAbove(dir) == "" {
		return os.MkdirAll(dir, 0o700)
	}
	return inRoot(dir, func(root *os.Root, name string) error { return root.MkdirAll(name, 0o700) })
}

// Walk is filepath.WalkDir below a real folder; links in it are listed, not followed.
func Walk(dir string, do fs.WalkDirFunc) error {
	if err := RealDir(dir); err != nil {
		if err = do(dir, nil, err); err == fs.SkipDir || err == fs.SkipAll {
			return nil
		}
		return err
	}
	return filepath.WalkDir(dir, do)
}

// NewLock returns a lock on a file that is created for it and isn't a link.
func NewLock(path string) *flock.Flock {
	return flock.New(path, flock.SetPermissions(0o600), flock.SetFlag(os.O_CREATE|os.O_RDONLY|noFollow|noWait))
}

func NotPlain(op, path string) error { return &fs.PathError{Op: op, Path: path, Err: ErrNotPlain} }

func Open(path string) (*os.File, error) { return OpenPlain(path, os.O_RDONLY, 0) }

// ReadPlain reads a whole plain file.
func ReadPlain(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Grow(int(fi.Size()) + bytes.MinRead)
	_, err = b.ReadFrom(f)
	return b.Bytes(), err
}

// ReadIfThere is ReadPlain, but returns nil for a missing file.
func ReadIfThere(path string) ([]byte, error) {
	text, err := ReadPlain(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// ReadRegular reads a person's file, such as a configuration, which may be behind a link: at most most bytes, and no
// pipe or device.
func ReadRegular(path string, most int64) ([]byte, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	switch {
	case !fi.Mode().IsRegular():
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("not a regular file")}
	case fi.Size() > most:
		return nil, &fs.PathError{Op: "read", Path: path,
			Err: fmt.Errorf("%d bytes: too large for what it is", fi.Size())}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

// RealDir returns nil for a real folder, ErrNotPlain for anything else that exists.
func RealDir(path string) error {
	fi, err := os.Lstat(path)
	if err == nil && !fi.IsDir() {
		err = NotPlain("open", path)
	}
	return err
}

// ReadDir lists a real folder.
func ReadDir(path string) ([]fs.DirEntry, error) {
	if err := RealDir(path); err != nil {
		return nil, err
	}
	return os.ReadDir(path)
}

// Glob is filepath.Glob below a folder, without what is behind links.
func Glob(dir string, pattern ...string) (found []string, err error) {
	names, err := fs.Glob(os.DirFS(dir), filepath.ToSlash(filepath.Join(pattern...)))
	for _, name := range names {
		if name = filepath.FromSlash(name); linkAbove(name, dir) == nil {
			found = append(found, filepath.Join(dir, name))
		}
	}
	return found, err
}

// OwnDir makes a folder of recall's own directly below the library's. The error is ErrNotPlain if something else is
// there.
func OwnDir(dir string) error {
	err := RealDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = cmp.Or(MakeAllDirs(dir), RealDir(dir))
	}
	return err
}

// Owned returns ErrForeign for a folder that belongs to another user.
func Owned(dir string) error {
	fi, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if who := otherOwner(fi); who != "" {
		return fmt.Errorf("%s (%s): %w", dir, who, ErrForeign)
	}
	return nil
}
