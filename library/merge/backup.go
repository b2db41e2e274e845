package merge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"recall/library"
	"recall/library/disk"
)

// Backup makes the library in dir a copy of l, itself a library, or brings it up to date: only what is new or changed
// is written, read again and compared. What was forgotten in l goes there too; what merely vanished stays. The error is
// ErrOther where dir holds anything else, ErrInside where one would lie in the other.
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
	if err := to.Inside().MarkBackup(); err != nil {
		return Merged{}, fmt.Errorf("backup to %s: %w", dir, err)
	}
	return Merge(ctx, to, l, Options{Follow: true, Forget: true, Progress: progress})
}

// onlyOurs refuses a folder with more in it than a backup that was cut off at its start leaves.
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
			return fmt.Errorf("it isn't empty (%s), and no library: %w", e.Name(), ErrOther)
		}
	}
	return nil
}

// apart refuses two folders of which one lies in the other.
func apart(a, b string) error {
	absB, err := filepath.Abs(b)
	if err != nil {
		return err
	}
	a, b = disk.RealPath(a), disk.RealPath(absB)
	for _, pair := range [][2]string{{a, b}, {b, a}} {
		if rel, err := filepath.Rel(pair[0], pair[1]); err == nil && filepath.IsLocal(rel) {
			return ErrInside
		}
	}
	return nil
}
