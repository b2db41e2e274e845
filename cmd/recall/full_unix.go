//go:build !windows

package main

import (
	"errors"
	"syscall"
)

// isFull says whether an error is that of a full disk or quota.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
