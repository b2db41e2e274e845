package main

import "golang.org/x/sys/windows"

// freeBytes is what this user may still write to a folder's disk, 0 if that
// can't be told.
func freeBytes(dir string) int64 {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0
	}
	var free uint64
	if windows.GetDiskFreeSpaceEx(path, &free, nil, nil) != nil {
		return 0
	}
	return int64(free)
}
