package ingest

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// A Search looks for sessions on behalf of a Reader, which knows where they lie and how to recognize them.
type Search struct {
	Context  context.Context
	Seen     Seen   // nil: none
	Root     string // the folder searched, or the one around the file
	Problems []Problem

	followed []fs.FileInfo // folders that links led to
}

// Look calls look with the real path of path. Errors are added to the problems.
func (s *Search) Look(path string, look func(real string) error) {
	real, err := RealPath(path)
	if err == nil {
		err = look(real)
	}
	if err = cmp.Or(err, s.Context.Err()); err != nil { // if interrupted, what was found so far is incomplete
		s.Problem(path, err)
	}
}

// LookFor calls file if path is a file, or walk if it is a folder.
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
	default: // a pipe would block
		return errors.New("neither a file nor a folder")
	}
	return nil
}

// Follow returns the folder that a link leads to, if it is to be searched: one of the user's own, by whatever name each
// once, that doesn't hold what is searched. Files in it are found by their real paths.
func (s *Search) Follow(path string) (real string, ok bool) {
	real, err := RealPath(path)
	if err != nil {
		return "", false
	}
	info, err := os.Stat(real)
	if err != nil || !info.IsDir() || !ownersFolder(info) {
		return "", false
	}
	up, _ := filepath.Rel(real, s.Root)
	if filepath.IsLocal(up) || slices.ContainsFunc(s.followed, func(o fs.FileInfo) bool { return os.SameFile(o, info) }) {
		return "", false
	}
	s.followed = append(s.followed, info)
	return real, true
}

// Walk calls file with the wanted files below a folder. It skips .git and node_modules unless they are wanted
// themselves. Links to folders are followed (see Follow), others reported.
func (s *Search) Walk(dir string, wanted func(path string) bool, file func(path string, info fs.FileInfo)) {
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil: // e can be nil
			s.Problem(path, err)
		case s.Context.Err() != nil:
			return fs.SkipAll
		case e.IsDir() && (e.Name() == "node_modules" || e.Name() == ".git") && !wanted(path):
			return fs.SkipDir
		case e.Type()&fs.ModeSymlink != 0 && IsFolder(path):
			if real, ok := s.Follow(path); ok {
				s.Walk(real, wanted, file)
			}
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
	}) // errors are among the problems
}

// RealPath returns the absolute path without links.
func RealPath(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(real)
}

// Problem records why a path could not be used.
func (s *Search) Problem(path string, err error) {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) && pe.Path == path {
		err = pe.Err // as other readers report it for the same path
	}
	s.Problems = append(s.Problems, Problem{Path: path, Err: err})
}

// Known returns the session that an unchanged file was found to belong to earlier.
func (s *Search) Known(path string, size int64, mod time.Time) (SessionID, bool) {
	if s.Seen == nil {
		return "", false
	}
	return s.Seen(path, size, mod)
}
