package disk

import "golang.org/x/sys/windows"

// Free returns how many bytes this user may still write to a folder's disk, 0 if unknown.
func Free(dir string) int64 {
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

// Writable returns why this user can't write to a folder: nil, as access lists aren't read.
func Writable(string) error { return nil }
