package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

// startWriting asks the kernel to begin writing a file out, without waiting.
// What follows is a Sync of each: the first makes one journal transaction of
// all, and the others find nothing left to do. It is only a hint.
func startWriting(f *os.File) {
	unix.SyncFileRange(int(f.Fd()), 0, 0, unix.SYNC_FILE_RANGE_WRITE)
}
