package library

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/raw"
)

// A State says how safe a session is.
type State string

const (
	Safe       State = "safe"                            // the library holds its sources as they are now
	Behind     State = "behind"                          // a source has bytes that the library doesn't hold
	Shorter    State = "kept, its source is shorter now" // safe, and so is what the source had before
	Lost       State = "lost"                            // bytes are gone from the library, and no source has them
	Unreadable State = "unreadable"                      // as Behind, and the source can't be read
	OnlyHere   State = "only here"                       // no source is left: the library has the only copy
	Wordless   State = "without a conversation"          // kept, but nothing that was said is among its files
)

// Safe is the only place that decides whether a found session is safe. It goes by what session.json says of the
// archived bytes, whether their segments are there, and by the sizes, times and stamps of the sources; Held compares
// every byte. The error says why it isn't safe.
func (l *Library) Safe(f ingest.Found) (State, error) {
	e, err := l.Session(f.ID)
	if err != nil && !errors.Is(err, ErrNoSession) {
		return Behind, err
	}
	return e.Judge(f.Files)
}

// State is Safe for the sources of a session that still exist. Those in found (by path, may be nil) aren't looked up
// again.
func (e Entry) State(found map[string]ingest.File) (State, error) {
	var there []ingest.File
	shorter := e.Shorter()
	for _, f := range e.Files {
		for _, src := range f.Sources {
			if src.Path == "" { // prompts, which never were a separate file
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
			shorter = shorter || emptied(now, src)
		}
	}
	if len(there) > 0 || len(e.Files) == 0 {
		state, err := e.Judge(there)
		if state == Safe && shorter {
			state = Shorter
		}
		return state, err
	}
	if err := e.Lacks(); err != nil {
		return Lost, err
	}
	return OnlyHere, nil
}

// Judge is Safe for files as they were found.
func (e Entry) Judge(files []ingest.File) (State, error) {
	for _, f := range files {
		held := func(have FileState) bool {
			src := have.SourceAt(f.Path)
			return src.matches(f) || src != nil && emptied(f, *src)
		}
		if slices.ContainsFunc(e.Files, held) {
			continue
		}
		err := notHeld(f)
		if !errors.Is(err, ErrNotHeld) {
			return Unreadable, err
		}
		return Behind, err
	}
	if err := e.Lacks(); err != nil {
		return Behind, err
	}
	return Safe, nil
}

// emptied reports whether nothing is left of a file to keep. One that is left out whole is empty only as it was found.
func emptied(f ingest.File, before SourceState) bool {
	if f.Size > 0 || before.Size == 0 {
		return false
	}
	info, err := os.Stat(f.Path)
	return err == nil && info.Size() == 0
}

// notHeld returns the error for a file that isn't archived, or why it can't be opened.
func notHeld(f ingest.File) error {
	src, _, err := raw.OpenSource(f)
	if err != nil {
		return err
	}
	return errors.Join(src.Close(), fmt.Errorf("%s: %w", f.Name, ErrNotHeld))
}

// matches reports whether a source is as it was when archived.
func (s *SourceState) matches(f ingest.File) bool {
	return s != nil && !s.Gone && s.Size == f.Size && s.Mod.Equal(f.Mod) && s.Stamp == f.Stamp
}

// ErrNotHeld means that the library doesn't have these bytes.
var ErrNotHeld = errors.New("not archived")

// Held checks that the library has every byte of a session's file as it is at its source now, and returns nil if so.
// Both are read and compared, and the archived bytes are also checked against their hashes; nothing cached is used.
// The error is ErrNotHeld, ErrDamaged if only damaged bytes are archived, or the error in reading the source.
func (l *Library) Held(ctx context.Context, id ingest.SessionID, f ingest.File) error {
	e, v, err := l.VersionsOf(id)
	if errors.Is(err, ErrNoSession) {
		return notHeld(f)
	}
	if err != nil {
		return err
	}
	if name := e.nameOf(f); name != "" {
		f.Name = name // as keepNames names it
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

// sameAs reports whether a version begins with a file's bytes.
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
	_, whole, err := raw.CommonLength(disk.Until(ctx, archived), src)
	return whole, err
}
