package disk

import (
	"io/fs"

	"golang.org/x/sys/windows"
)

// foreign is always "": a profile's folders are its user's; access lists say who else may write, and recall doesn't
// read them.
func foreign(fs.FileInfo) string { return "" }

// There are no such flags here.
const (
	noFollow = 0
	noWait   = 0
)

// noRoom is the fault of a full disk.
var noRoom = []error{windows.ERROR_DISK_FULL}

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
