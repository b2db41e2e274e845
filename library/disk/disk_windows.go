package disk

import (
	"io/fs"
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// otherOwner always returns "": a profile's folders belong to its user. Access lists say who else may write, but recall
// doesn't read them.
func otherOwner(fs.FileInfo) string { return "" }

// Windows has no such flags.
const (
	noFollow = 0
	noWait   = 0
)

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

// SameVolume reports whether two paths are on one volume, so that a rename moves no bytes.
func SameVolume(a, b string) bool {
	return strings.EqualFold(filepath.VolumeName(a), filepath.VolumeName(b))
}
