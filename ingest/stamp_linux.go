package ingest

import (
	"io/fs"
	"syscall"
)

// changedAt returns a file's ctime in nanoseconds.
func changedAt(fi fs.FileInfo) (int64, bool) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return st.Ctim.Nano(), true
}
