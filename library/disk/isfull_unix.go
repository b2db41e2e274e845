//go:build !windows

package disk

import (
	"errors"
	"syscall"
)

// IsFull reports whether an error is want of room: a full disk, a quota, or a limit to files' size.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}
