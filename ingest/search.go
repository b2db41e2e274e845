package ingest

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
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

// LookFor calls file with the file that was asked for, or walk with the folder.
func (s *Search) LookFor(path string, walk func(dir string), file func(path string, info fs.FileInfo)) {
	s.Look(path, func(real string) error { return s.In(real, walk, file) })
}

// In is LookFor for a path without links.
func (s *Search) In(path string, walk func(dir string), file func(path string, info fs.FileInfo)) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		s.Root = path
		walk(path)
	case info.Mode().IsRegular():
		s.Root = filepath.Dir(path)
		file(path, info)
	default: // a pipe would hang us
		return errors.New("neither a file nor a folder")
	}
	return nil
}

// Walk calls file with the files below a folder that are wanted; .git and node_modules are passed over but where they
// are wanted themselves. Links are told of, not followed.
func (s *Search) Walk(dir string, wanted func(path string) bool, file func(path string, info fs.FileInfo)) {
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil: // there may be no e
			s.Problem(path, err)
		case s.Context.Err() != nil:
			return fs.SkipAll
		case e.IsDir() && (e.Name() == "node_modules" || e.Name() == ".git") && !wanted(path):
			return fs.SkipDir
		case e.IsDir() || !wanted(path):
		case !e.Type().IsRegular():
			s.Problem(path, errors.New("not a regular file, not followed"))
		default:
			if info, err := e.Info(); err != nil {
				s.Problem(path, err)
			} else {
				file(path, info)
			}
		}
		return nil
	}) // errors are in problems
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
