//go:build !windows

package disk

import "golang.org/x/sys/unix"

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
