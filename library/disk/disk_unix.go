//go:build !windows

package disk

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Flags of opening a file that isn't a link, and of not waiting for who writes to a pipe.
const (
	noFollow = syscall.O_NOFOLLOW
	noWait   = syscall.O_NONBLOCK
)

// foreign names a file's owner if that is another user; "" for this one, or who has become root by sudo.
func foreign(fi fs.FileInfo) string {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok || int(st.Uid) == os.Geteuid() {
		return ""
	}
	owner := strconv.Itoa(int(st.Uid))
	if os.Geteuid() == 0 && os.Getenv("SUDO_UID") == owner {
		return ""
	}
	return "user " + owner
}

// noRoom are the faults that are want of room: a full disk, a quota, or a limit to files' size.
var noRoom = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}

// Free returns how many bytes this user may still write to a folder's disk, 0 if unknown.
func Free(dir string) int64 {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return 0
	}
	return int64(s.Bavail) * int64(s.Bsize)
}

// Writable returns why this user can't write to a folder, nil where nothing speaks against it.
func Writable(dir string) error { return unix.Access(dir, unix.W_OK) }
