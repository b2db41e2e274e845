package disk

import (
	"io/fs"
	"os"
)

// openNoFollow opens a file that isn't a link or another reparse point.
func openNoFollow(path string, flag int, perm fs.FileMode) (*os.File, error) {
	if fi, err := os.Lstat(path); err == nil && !fi.Mode().IsRegular() {
		return nil, NotPlain("open", path)
	}
	return os.OpenFile(path, flag, perm)
}

// foreign is always "": a profile's folders are of its user, and what others may write
// is said by access lists, which recall doesn't read.
func foreign(fs.FileInfo) string { return "" }

// There are no such flags here.
const (
	noFollow = 0
	noWait   = 0
)
