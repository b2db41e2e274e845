//go:build !windows

package disk

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Open flags that refuse a link, and that don't wait for a pipe's writer.
const (
	noFollow = syscall.O_NOFOLLOW
	noWait   = syscall.O_NONBLOCK
)

// otherOwner returns a file's owner if that is another user, "" for this user or the one who became root by sudo.
func otherOwner(fi fs.FileInfo) string {
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

// Free returns how many bytes this user may still write to a folder's disk, 0 if unknown.
func Free(dir string) int64 {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return 0
	}
	return int64(s.Bavail) * int64(s.Bsize)
}

// SameVolume reports whether two paths that exist are on one volume, so that a rename moves no bytes.
func SameVolume(a, b string) bool {
	var of, to unix.Stat_t
	return unix.Lstat(a, &of) == nil && unix.Lstat(b, &to) == nil && of.Dev == to.Dev
}
