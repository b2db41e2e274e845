package disk

import "io/fs"

// foreign is always "": a profile's folders are its user's; access lists say who else may write, and recall doesn't
// read them.
func foreign(fs.FileInfo) string { return "" }

// There are no such flags here.
const (
	noFollow = 0
	noWait   = 0
)
