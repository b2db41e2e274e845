//go:build linux || darwin

package ingest

import (
	"io/fs"
	"os"
	"syscall"
)

// changedAt returns a file's ctime in nanoseconds.
func changedAt(fi fs.FileInfo) (int64, bool) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	at := ctime(st)
	return at.Nano(), true
}

// ownersFolder reports whether a file or folder is the user's own.
func ownersFolder(fi fs.FileInfo) bool {
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}
