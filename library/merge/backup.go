package merge

import (
	"context"
	"errors"
	"fmt"
	"os"

	"recall/library"
	"recall/library/disk"
)

// Backup makes the library in dir a copy of l, or brings that copy up to date. Only what is new or changed is
// written, then read again and compared. What was forgotten in l is forgotten there too; what merely vanished stays.
// The error is ErrOther if dir holds anything else, ErrInside if one would be inside the other.
func Backup(ctx context.Context, l *library.Library, dir string, progress func(done, total int)) (Merged, error) {
	if err := apart(l.Dir(), dir); err != nil {
		return Merged{}, fmt.Errorf("backup to %s: %w", dir, err)
	}
	to, err := library.Open(dir)
	if errors.Is(err, library.ErrNoLibrary) {
		if err := onlyOurs(dir); err != nil {
			return Merged{}, fmt.Errorf("backup to %s: %w", dir, err)
		}
		to, err = library.CreateAs(dir, l.ID())
	}
	if err != nil {
		return Merged{}, err
	}
	defer to.Close()
	if to.ID() != l.ID() {
		return Merged{}, fmt.Errorf("backup to %s: %w", dir, ErrOther)
	}
	if err := to.MarkBackup(); err != nil {
		return Merged{}, fmt.Errorf("backup to %s: %w", dir, err)
	}
	return Merge(ctx, to, l, Options{Follow: true, Forget: true, Progress: progress})
}

// onlyOurs rejects a folder that has more in it than a backup leaves when it is interrupted right at the start.
func onlyOurs(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != "README.md" && e.Name() != ".tmp" && e.Name() != ".locks" {
			return fmt.Errorf("it isn't empty (%s) and is not a library: %w", e.Name(), ErrOther)
		}
	}
	return nil
}

// apart rejects two folders of which one is inside the other.
func apart(a, b string) error {
	if a, b = disk.RealPath(a), disk.RealPath(b); disk.Below(a, b) || disk.Below(b, a) {
		return ErrInside
	}
	return nil
}

// Import merges a backup, or another machine's library, into a library. An empty library gets the backup's id, so that
// the backup can follow it.
func Import(ctx context.Context, l *library.Library, dir string, o Options) (Merged, error) {
	fail := func(err error) (Merged, error) { return Merged{}, fmt.Errorf("import %s: %w", dir, err) }
	if err := l.ReadOnly(); err != nil {
		return fail(err)
	}
	from, err := OpenBackup(l, dir)
	if err != nil {
		return fail(err)
	}
	defer from.Close()
	all, err := l.AllEntries()
	if gone, err2 := l.Tombstones(); err != nil || err2 != nil {
		return fail(errors.Join(err, err2))
	} else if len(all)+len(gone) == 0 { // made for this, maybe by an interrupted import
		if err := l.TakeID(from.ID()); err != nil {
			return fail(err)
		}
	}
	return Merge(ctx, l, from, o)
}

// OpenBackup opens a backup of a library, or another library, for reading.
func OpenBackup(l *library.Library, dir string) (*library.Library, error) {
	if err := apart(l.Dir(), dir); err != nil {
		return nil, err
	}
	from, err := library.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := from.ReadOnly(); err != nil {
		from.Close()
		return nil, err
	}
	return from, nil
}
