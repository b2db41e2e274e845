//go:build !windows

package main

import "golang.org/x/sys/unix"

// freeBytes is what this user may still write to a folder's disk, 0 if that
// can't be told.
func freeBytes(dir string) int64 {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return 0
	}
	return int64(s.Bavail) * int64(s.Bsize)
}
