package disk

import "io/fs"

// foreign is always "": a profile's folders are of its user, and what others may write
// is said by access lists, which recall doesn't read.
func foreign(fs.FileInfo) string { return "" }

// There are no such flags here.
const (
	noFollow = 0
	noWait   = 0
)
