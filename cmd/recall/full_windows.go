package main

import (
	"errors"

	"golang.org/x/sys/windows"
)

// isFull says whether an error is that of a full disk.
func isFull(err error) bool { return errors.Is(err, windows.ERROR_DISK_FULL) }
