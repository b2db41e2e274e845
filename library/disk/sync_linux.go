package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

// startWriting hints to the kernel to write a file out, without waiting. Of the Syncs that follow, the first makes one
// journal transaction of all, and the others find nothing left to do.
func startWriting(f *os.File) {
	unix.SyncFileRange(int(f.Fd()), 0, 0, unix.SYNC_FILE_RANGE_WRITE)
}
