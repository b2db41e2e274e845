package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

// startWriting asks the kernel to write a file out, without waiting. The first sync that follows then makes one
// journal transaction for all files, and the others have nothing left to do.
func startWriting(f *os.File) {
	unix.SyncFileRange(int(f.Fd()), 0, 0, unix.SYNC_FILE_RANGE_WRITE)
}
