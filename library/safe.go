package library

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/raw"
)

// A State is how safe a session is.
type State string

const (
	Safe       State = "safe"       // the library holds its sources as they are now
	Behind     State = "behind"     // a source has bytes that the library doesn't hold
	Unreadable State = "unreadable" // as Behind, and the source can't be read
	OnlyHere   State = "only here"  // no source is left: the library has the only copy
)

// Safe is the one judge of whether a found session is safe, by what session.json says of the bytes taken, and sizes,
// times and stamps of the sources; Held compares every byte. The error is why it isn't safe.
func (l *Library) Safe(f ingest.Found) (State, error) {
	e, err := l.Session(f.ID)
	if err != nil && !errors.Is(err, ErrNoSession) {
		return Behind, err
	}
	return e.Judge(f.Files)
}

// State is Safe of what is left of a session's sources. Those among found (by path, may be nil) aren't looked at again.
func (e Entry) State(found map[string]ingest.File) (State, error) {
	var there []ingest.File
	for _, f := range e.Files {
		for _, src := range f.Sources {
			if src.Path == "" { // prompts, which were never a file of their own
				continue
			}
			now, known := found[src.Path]
			if !known {
				var err error
				now, err = ingest.FileNow(f.Name, f.Role, src.Path)
				if errors.Is(err, fs.ErrNotExist) {
					continue
				}
				if err != nil {
					return Unreadable, err
				}
			}
			there = append(there, now)
		}
	}
	if len(there) == 0 && len(e.Files) > 0 {
		return OnlyHere, nil
	}
	return e.Judge(there)
}

// Judge is Safe of files as they were found.
func (e Entry) Judge(files []ingest.File) (State, error) {
	for _, f := range files {
		if slices.ContainsFunc(e.Files, func(have FileState) bool { return have.source(f.Path).is(f) }) {
			continue
		}
		err := notHeld(f)
		if !errors.Is(err, ErrNotHeld) {
			return Unreadable, err
		}
		return Behind, err
	}
	return Safe, nil
}

// notHeld is the error of a file that isn't held: why it can't be, if it can't be opened.
func notHeld(f ingest.File) error {
	src, _, err := raw.OpenSource(f)
	if err != nil {
		return err
	}
	return errors.Join(src.Close(), fmt.Errorf("%s: %w", f.Name, ErrNotHeld))
}

// is reports whether a source is as it was when its bytes were taken.
func (s *SourceState) is(f ingest.File) bool {
	return s != nil && !s.Gone && s.Size == f.Size && s.Mod.Equal(f.Mod) && s.Stamp == f.Stamp
}

// ErrNotHeld: the library doesn't have these bytes.
var ErrNotHeld = errors.New("not archived")

// Held reports whether the library has every byte of a session's file as it is at its source now: nil if so. Both are
// read and compared, the archived bytes also with their hashes; nothing is taken from memory. The error is ErrNotHeld,
// ErrDamaged where only damaged bytes are archived, or the fault in reading the source.
func (l *Library) Held(ctx context.Context, id ingest.SessionID, f ingest.File) error {
	e, v, err := l.versionsOf(id)
	if errors.Is(err, ErrNoSession) {
		return notHeld(f)
	}
	if err != nil {
		return err
	}
	if name := e.nameOf(f); name != "" {
		f.Name = name // as keepNames has it
	}
	var damaged error
	for n := len(v.Files[f.Name]); n > 0; n-- {
		if v.At(f.Name, n).Size < f.Size {
			continue
		}
		same, err := l.sameAs(ctx, id, f, n)
		switch {
		case same:
			return nil
		case errors.Is(err, ErrDamaged):
			damaged = err
		case err != nil:
			return err
		}
	}
	if damaged != nil {
		return damaged
	}
	return notHeld(f)
}

// sameAs reports whether a file's bytes are the first of a version's.
func (l *Library) sameAs(ctx context.Context, id ingest.SessionID, f ingest.File, n int) (bool, error) {
	archived, _, err := l.OpenVersion(id, f.Name, n)
	if err != nil {
		return false, err
	}
	defer archived.Close()
	src, _, err := raw.OpenSource(f)
	if err != nil {
		return false, err
	}
	defer src.Close()
	_, whole, err := commonLength(disk.Until(ctx, archived), src)
	return whole, err
}
