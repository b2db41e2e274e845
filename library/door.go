package library

import (
	"recall/library/disk"
)

// Files of a library's kind, beside the library: see package disk.
var (
	ReadPlain   = disk.ReadPlain
	ReadRegular = disk.ReadRegular
	IsFull      = disk.IsFull
	Full        = disk.Full
	Free        = disk.Free
	Warnings    = disk.Warnings
)
