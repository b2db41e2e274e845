// Package restore puts archived files back to where their clients look for them, or elsewhere.
package restore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"recall/ingest"
	"recall/library"
	"recall/library/disk"
	"recall/library/raw"
)

// A File is one file of a session to be restored.
type File struct {
	Name    string // of the file in the session
	Path    string // where to restore it
	Version int    // 0 is the current one
	Shared  bool   // other sessions use the file too: an existing one stays
	Over    bool   // replace whatever is there

	// What Plan found.
	Size  int64
	Sum   string
	State State
}

// State is what restoring a file would do.
type State string

const (
	New    State = "new"       // nothing is there
	Longer State = "longer"    // its beginning is there: nothing can be lost
	There  State = "there"     // it is there, byte for byte
	Kept   State = "kept"      // a different file is there and stays: shared between sessions, or in a database
	Newer  State = "newer"     // the file there continues after what is archived
	Other  State = "different" // a different file is there
	Over   State = "over"      // a different file is there and is replaced, as requested
)

// ErrInTheWay means that the target is a file that isn't the beginning of what is archived, ErrInDatabase that what is
// missing was kept in a client's database.
var (
	ErrInTheWay   = errors.New("another file is there")
	ErrInDatabase = errors.New("it isn't in its client's database, and recall writes nothing there")
)

// Blocked reports whether the file can't be restored to its place.
func (p File) Blocked() bool { return p.State == Newer || p.State == Other }

// writes reports whether restoring changes anything.
func (p File) writes() bool {
	return p.State == New || p.State == Longer || p.State == Over
}

// Plan compares the files at the targets with what is archived, and fills in Size, Sum and State. It reads
// both, so damaged archived bytes (ErrDamaged) are found before anything is written.
func Plan(ctx context.Context, l *library.Library, id ingest.SessionID, files []File) error {
	for i := range files {
		if err := planOne(ctx, l, id, &files[i]); err != nil {
			return fmt.Errorf("%s: %w", files[i].Path, err)
		}
	}
	return nil
}

func planOne(ctx context.Context, l *library.Library, id ingest.SessionID, p *File) error {
	r, v, err := l.OpenVersion(id, p.Name, p.Version)
	if err != nil {
		return err
	}
	defer r.Close()
	p.Version, p.Size, p.Sum = v.Version, v.Size, v.Sum
	now, err := ingest.FileNow(p.Name, "", p.Path)
	inDatabase := ingest.OnDisk(p.Path) != p.Path
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(p.Path); err == nil {
			return errors.New("a broken link is there")
		} else if inDatabase {
			return ErrInDatabase
		}
		p.State = New
		_, err = io.Copy(io.Discard, disk.Until(ctx, r))
		return err
	}
	if err != nil {
		return err
	}
	there, _, err := raw.OpenSource(now)
	if err != nil {
		return err
	}
	defer there.Close()
	same, _, err := raw.CommonLength(disk.Until(ctx, r), there)
	if err != nil {
		return err
	}
	switch size := now.Size; {
	case same == size && size == v.Size:
		p.State = There
	case inDatabase:
		p.State = Kept
	case same == size:
		p.State = Longer
	case p.Shared:
		p.State = Kept
	case p.Over:
		p.State = Over
	case same == v.Size:
		p.State = Newer
	default:
		p.State = Other
	}
	return nil
}

// Put restores the files that Plan examined, unless one is Blocked (ErrInTheWay): each is written
// beside its target, synced, read again, hashed, and only then renamed. A file that appears there meanwhile is left
// alone. The files get the current time, because a client would delete them at once if they had their old one.
func Put(ctx context.Context, l *library.Library, id ingest.SessionID, files []File) error {
	for _, p := range files {
		if p.Blocked() {
			return fmt.Errorf("%s: %w", p.Path, ErrInTheWay)
		}
	}
	for _, p := range files {
		if !p.writes() {
			continue
		}
		if err := restoreOne(ctx, l, id, p); err != nil {
			return fmt.Errorf("%s: %w", p.Path, err)
		}
	}
	if l.ReadOnly() != nil {
		return nil
	}
	return l.WithSession(id, func(e library.Entry) error {
		e = e.Clone()
		for _, p := range files {
			markRestored(&e, p)
		}
		return l.SaveEntry(e)
	})
}

// markRestored records a source that was restored with the archived bytes: it counts as held.
func markRestored(e *library.Entry, p File) {
	i := slices.IndexFunc(e.Files, func(f library.FileState) bool { return f.SourceAt(p.Path) != nil })
	if i < 0 || !p.writes() || p.Sum != e.Files[i].Sum {
		return
	}
	f := &e.Files[i]
	if fi, err := os.Stat(p.Path); err == nil && fi.Size() == p.Size {
		*f.SourceAt(p.Path) = library.SourceState{Path: p.Path, Size: p.Size, Mod: fi.ModTime().UTC(),
			Stamp: ingest.Stamp(p.Path, fi), Version: f.Version}
	}
}

func restoreOne(ctx context.Context, l *library.Library, id ingest.SessionID, p File) error {
	r, _, err := l.OpenVersion(id, p.Name, p.Version)
	if err != nil {
		return err
	}
	defer r.Close()
	temp, err := disk.Beside(p.Path, func(w io.Writer) error { _, err := io.Copy(w, disk.Until(ctx, r)); return err })
	if err != nil {
		return err
	}
	defer os.Remove(temp)
	if err := disk.CheckFile(temp, disk.Sums{Size: p.Size, SHA256: p.Sum}); err != nil {
		return err
	}
	name := disk.Rename
	if p.State == New {
		name = renameNew
	}
	if err := name(temp, p.Path); err != nil {
		return err
	}
	return disk.SyncDir(filepath.Dir(p.Path))
}

// renameNew renames a file without replacing any.
func renameNew(temp, path string) error {
	err := os.Link(temp, path)
	if errors.Is(err, fs.ErrExist) {
		return ErrInTheWay
	}
	if err == nil {
		return nil
	}
	if disk.Exists(path) { // on a file system without links
		return ErrInTheWay
	}
	return disk.Rename(temp, path)
}
