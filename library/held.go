package library

import (
	"context"
	"errors"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/raw"
)

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
