// Package hint gives an error the way out of it.
package hint

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"recall/library"
)

// Error is an error with the way out of it.
type Error struct {
	Err  error
	Hint string
}

func (h *Error) Error() string { return h.Err.Error() }
func (h *Error) Unwrap() error { return h.Err }

// With gives an error a hint, written as fmt.Sprintf does.
func With(err error, format string, args ...any) error {
	return &Error{err, fmt.Sprintf(format, args...)}
}

// Of is the way out of an error: its own, or that of the fault at its
// bottom; "" where none is known.
func Of(err error) string {
	var h *Error
	switch {
	case errors.As(err, &h):
		return h.Hint
	case errors.Is(err, library.ErrNewer):
		return "install a newer recall; query, resume, list and show work with this one too"
	case errors.Is(err, library.ErrNotRendered):
		return "recall sync does it"
	case errors.Is(err, library.ErrBusy):
		return "another recall is at work in this library; try again when it is done"
	case errors.Is(err, fs.ErrPermission):
		return "check who owns that file or folder and its permissions"
	case errors.Is(err, syscall.EROFS):
		return "that disk can only be read: mount it to be written to, or name another place"
	case library.IsFull(err):
		return "make room on that disk and run it again: nothing is lost"
	}
	return ""
}
