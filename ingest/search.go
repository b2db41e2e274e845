package ingest

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"
)

// A Search looks for sessions; where they lie and how they are told, each Reader knows for itself.
type Search struct {
	Context  context.Context
	Seen     Seen   // nil: none
	Root     string // of what was asked for, or the folder around it
	Problems []Problem
}

// Look calls look with the real path of what was asked for. What goes wrong is among the problems.
func (s *Search) Look(path string, look func(real string) error) {
	real, err := RealPath(path)
	if err == nil {
		err = look(real)
	}
	if err = cmp.Or(err, s.Context.Err()); err != nil { // stopped: what was found so far is not all
		s.Problem(path, err)
	}
}

// RealPath is a path from the root, without links.
func RealPath(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(real)
}

// Problem notes why there is nothing to be had of a path.
func (s *Search) Problem(path string, err error) {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) && pe.Path == path {
		err = pe.Err // as other readers say it of the same path
	}
	s.Problems = append(s.Problems, Problem{Path: path, Reason: err.Error()})
}

// Known is the session that an unchanged file was found to belong to earlier.
func (s *Search) Known(path string, size int64, mod time.Time) (SessionID, bool) {
	if s.Seen == nil {
		return "", false
	}
	return s.Seen(path, size, mod)
}
