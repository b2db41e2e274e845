package disk

import (
	"errors"

	"golang.org/x/sys/windows"
)

// IsFull reports whether an error is that of a full disk.
func IsFull(err error) bool { return errors.Is(err, windows.ERROR_DISK_FULL) }
