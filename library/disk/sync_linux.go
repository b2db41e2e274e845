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

// syncDir makes renames in a folder durable. Unlike os.Open, it asks only for what it needs.
func syncDir(dir string) error {
	d, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	for err == unix.EINTR {
		d, err = unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	}
	if err != nil {
		return &os.PathError{Op: "open", Path: dir, Err: err}
	}
	defer unix.Close(d)
	for err = unix.EINTR; err == unix.EINTR; {
		err = unix.Fsync(d)
	}
	if err != nil {
		return &os.PathError{Op: "sync", Path: dir, Err: err}
	}
	return nil
}
