package library

import (
	"recall/library/disk"
)

// Functions of package disk for files beside the library.
var (
	ReadPlain   = disk.ReadPlain
	ReadRegular = disk.ReadRegular
	IsFull      = disk.IsFull
	Free        = disk.Free
	Warnings    = disk.Warnings
)
