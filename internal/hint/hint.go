// Package hint attaches to an error what the person can do about it.
package hint

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall"
)

// Error is an error with a hint: what to do about it.
type Error struct {
	Err  error
	Hint string
}

func (h *Error) Error() string { return h.Err.Error() }
func (h *Error) Unwrap() error { return h.Err }

// With attaches a hint to an error, formatted like fmt.Sprintf.
func With(err error, format string, args ...any) error {
	return &Error{err, fmt.Sprintf(format, args...)}
}

// Of returns the hint of an error: its own, or one for the system's fault below it; "" if there is none.
func Of(err error) string {
	var h *Error
	switch {
	case errors.As(err, &h):
		return h.Hint
	case errors.Is(err, fs.ErrPermission):
		return "check who owns that file or folder and its permissions"
	case errors.Is(err, syscall.EROFS):
		return "that disk is read-only: mount it writable, or name another place"
	case IsFull(err):
		return "free some space on that disk and run it again: nothing is lost"
	}
	return ""
}

// IsFull reports whether an error means that there is no space left.
func IsFull(err error) bool {
	return slices.ContainsFunc(noRoom, func(fault error) bool { return errors.Is(err, fault) })
}
