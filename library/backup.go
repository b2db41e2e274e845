package library

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"recall/library/disk"
)

// Backup makes the library in dir a copy of this one, or brings an earlier copy
// up to date: only what is new or changed is written, read again and compared.
// What was forgotten here goes there too; what merely vanished here stays
// there. The copy is a library itself. The error is ErrOther where dir holds
// another library or other files, ErrInside where one would lie in the other.
func (l *Library) Backup(ctx context.Context, dir string, progress func(done, total int)) (Merged, error) {
	if err := apart(l.dir, dir); err != nil {
		return Merged{}, fmt.Errorf("backup to %s: %w", dir, err)
	}
	to, err := Open(dir)
	if errors.Is(err, ErrNoLibrary) {
		if err := onlyOurs(dir); err != nil {
			return Merged{}, fmt.Errorf("backup to %s: %w", dir, err)
		}
		to, err = createAs(dir, l.id)
	}
	if err != nil {
		return Merged{}, err
	}
	defer to.Close()
	if to.id != l.id {
		return Merged{}, fmt.Errorf("backup to %s: %w", dir, ErrOther)
	}
	if err := to.markBackup(); err != nil {
		return Merged{}, fmt.Errorf("backup to %s: %w", dir, err)
	}
	return to.Merge(ctx, l, MergeOptions{Follow: true, Forget: true, Progress: progress})
}

// markBackup notes in library.toml that the library is a copy, so that a question
// asked of it takes nothing new in.
func (l *Library) markBackup() error {
	if err := l.ReadOnly(); err != nil {
		return err
	}
	unlock, err := l.lock("folders")
	if err != nil {
		return err
	}
	defer unlock()
	f, err := readLibraryFile(l.dir)
	if err != nil || f.Backup {
		return err
	}
	f.Backup = true
	return errors.Join(l.putLibraryFile(f), disk.SyncDir(l.dir))
}

// onlyOurs refuses a folder with anything in it but what a backup that was cut
// off at its very start leaves.
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
	a, b = realPath(a), realPath(absB)
	for _, pair := range [][2]string{{a, b}, {b, a}} {
		if rel, err := filepath.Rel(pair[0], pair[1]); err == nil && !escapes(rel) {
			return ErrInside
		}
	}
	return nil
}
