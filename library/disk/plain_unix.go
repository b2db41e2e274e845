//go:build unix

package disk

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"
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
