package disk

import (
	"io/fs"
	"os"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// os.Root opens a folder for each part of a path, several times for a file. The kernel does it in one call, openat2,
// which refuses every link on the way; but kernels before 5.6 don't have it and a sandbox may refuse it. Whatever it
// can't do (because there is a link, also one above the library, or an error to report) is left to os.Root, so that the
// outcome is the same everywhere.

// noOpenat2 is set if the kernel lacks openat2.
var noOpenat2 atomic.Bool

// noLinks opens a path that has no link in it.
func noLinks(path string, flag int, perm fs.FileMode) (fd int, err error) {
	if noOpenat2.Load() {
		return -1, unix.ENOSYS
	}
	how := unix.OpenHow{Flags: uint64(flag | unix.O_CLOEXEC), Resolve: unix.RESOLVE_NO_SYMLINKS}
	if flag&os.O_CREATE != 0 {
		how.Mode = uint64(perm.Perm())
	}
	fd, err = unix.Openat2(unix.AT_FDCWD, path, &how)
	if err == unix.ENOSYS {
		noOpenat2.Store(true)
	}
	return fd, err
}

// openQuick is OpenPlain in one call. done is false if the outcome is uncertain.
func openQuick(path string, flag int, perm fs.FileMode) (f *os.File, done bool, err error) {
	var was, now unix.Stat_t
	if flag&os.O_EXCL == 0 { // a new file needs no check
		flag |= noWait
		err := unix.Fstatat(unix.AT_FDCWD, path, &was, unix.AT_SYMLINK_NOFOLLOW)
		if err != unix.ENOENT && (err != nil || was.Mode&unix.S_IFMT != unix.S_IFREG) {
			return nil, false, nil
		}
	}
	fd, fault := noLinks(path, flag|noFollow, perm)
	if fault == unix.ENOENT || fault == unix.EEXIST {
		return nil, true, &fs.PathError{Op: "open", Path: path, Err: fault}
	}
	if fault != nil {
		return nil, false, nil
	}
	if unix.Fstat(fd, &now) != nil || now.Mode&unix.S_IFMT != unix.S_IFREG { // it was swapped meanwhile
		unix.Close(fd)
		return nil, false, nil
	}
	return os.NewFile(uintptr(fd), path), true, nil
}
