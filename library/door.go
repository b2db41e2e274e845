package library

import (
	"recall/library/disk"
)

// Files of a library's kind, beside the library: see package disk.
var (
	ReadPlain   = disk.ReadPlain
	ReadRegular = disk.ReadRegular
	WritePlain  = disk.WritePlain
	IsFull      = disk.IsFull
	Free        = disk.Free
	Writable    = disk.Writable
	Warnings    = disk.Warnings
)
