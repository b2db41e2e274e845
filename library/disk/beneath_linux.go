package disk

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// os.Root opens a folder for each part of a path, several times for a file. The kernel does it in one call, openat2,
// without following links; but kernels before 5.6 don't have it and a sandbox may refuse it. Whatever it can't do
// (because there is a link, or an error to report) is left to os.Root, so that the outcome is the same everywhere.

// noOpenat2 is set if the kernel lacks openat2.
var noOpenat2 atomic.Bool

// beneath opens a path below an open folder.
func beneath(root int, name string, flag int, perm fs.FileMode) (fd int, err error) {
	how := unix.OpenHow{Flags: uint64(flag | unix.O_CLOEXEC),
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS}
	if flag&os.O_CREATE != 0 {
		how.Mode = uint64(perm.Perm())
	}
	fd, err = unix.Openat2(root, name, &how)
	if err == unix.ENOSYS {
		noOpenat2.Store(true)
	}
	return fd, err
}

// onRoot calls do with a handle on a folder, and reports whether that succeeded.
func onRoot(dir string, do func(root int) bool) bool {
	if noOpenat2.Load() {
		return false
	}
	root, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(root)
	return do(root)
}

// openQuick is OpenPlain by a handle on a folder above the file. done is false if the outcome is uncertain.
func openQuick(dir, path string, flag int, perm fs.FileMode) (f *os.File, done bool, err error) {
	name, err := filepath.Rel(dir, path)
	if err != nil {
		return nil, false, nil
	}
	done = onRoot(dir, func(root int) bool {
		var was, now unix.Stat_t
		if flag&os.O_EXCL == 0 {
			err := unix.Fstatat(root, name, &was, unix.AT_SYMLINK_NOFOLLOW)
			if err != unix.ENOENT && (err != nil || was.Mode&unix.S_IFMT != unix.S_IFREG) {
				return false
			}
		}
		fd, fault := beneath(root, name, flag|noFollow|noWait, perm)
		if fault == unix.ENOENT || fault == unix.EEXIST {
			err = &fs.PathError{Op: "open", Path: path, Err: fault}
			return true
		}
		if fault != nil {
			return false
		}
		if unix.Fstat(fd, &now) != nil || now.Mode&unix.S_IFMT != unix.S_IFREG { // it was swapped meanwhile
			unix.Close(fd)
			return false
		}
		f = os.NewFile(uintptr(fd), path)
		return true
	})
	return f, done, err
}

// inFolder calls do with a handle on the folder that contains name, and reports whether that succeeded.
func inFolder(root int, name string, do func(folder int, base string) bool) bool {
	above, base := filepath.Split(name)
	if base == "" || base == "." || base == ".." {
		return false
	}
	if above == "" {
		return do(root, base)
	}
	folder, err := beneath(root, above, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return false
	}
	defer unix.Close(folder)
	return do(folder, base)
}

// quick calls do with a handle on the folder that contains path, and reports whether that succeeded.
func quick(dir, path string, do func(folder int, base string) error) bool {
	name, err := filepath.Rel(dir, path)
	return err == nil && onRoot(dir, func(root int) bool {
		return inFolder(root, name, func(folder int, base string) bool { return do(folder, base) == nil })
	})
}

func unlinkQuick(dir, path string) bool {
	return quick(dir, path, func(folder int, base string) error { return unix.Unlinkat(folder, base, 0) })
}

func mkdirQuick(dir, path string) bool {
	return quick(dir, path, func(folder int, base string) error { return unix.Mkdirat(folder, base, 0o700) })
}

func renameQuick(dir, from, to string) bool {
	old, err := filepath.Rel(dir, from)
	if err != nil || !filepath.IsLocal(old) {
		return false
	}
	name, err := filepath.Rel(dir, to)
	return err == nil && onRoot(dir, func(root int) bool {
		return inFolder(root, old, func(was int, oldBase string) bool {
			var it unix.Stat_t // a folder would replace an empty one
			if unix.Fstatat(was, oldBase, &it, unix.AT_SYMLINK_NOFOLLOW) != nil || it.Mode&unix.S_IFMT == unix.S_IFDIR {
				return false
			}
			return inFolder(root, name, func(folder int, base string) bool {
				return unix.Renameat(was, oldBase, folder, base) == nil
			})
		})
	})
}
