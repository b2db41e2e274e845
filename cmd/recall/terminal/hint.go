package terminal

import (
	"errors"
	"fmt"
	"io/fs"

	"recall/library"
)

// Hinted is an error with the way out of it.
type Hinted struct {
	Err  error
	Hint string
}

func (h *Hinted) Error() string { return h.Err.Error() }
func (h *Hinted) Unwrap() error { return h.Err }

func WithHint(err error, format string, args ...any) error {
	return &Hinted{err, fmt.Sprintf(format, args...)}
}

// HintOf is the way out of an error: its own, or that of the fault at its
// bottom; "" where none is known.
func HintOf(err error) string {
	var h *Hinted
	switch {
	case errors.As(err, &h):
		return h.Hint
	case errors.Is(err, library.ErrNewer):
		return "install a newer recall; query, resume, list and show work with this one too"
	case errors.Is(err, library.ErrBusy):
		return "another recall is at work in this library; try again when it is done"
	case errors.Is(err, fs.ErrPermission):
		return "check who owns that file or folder and its permissions"
	case library.IsFull(err):
		return "make room on that disk and run it again: nothing is lost"
	}
	return ""
}
