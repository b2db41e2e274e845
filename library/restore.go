package library

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/raw"
)

// A RestoreFile is one file of a session to be restored.
type RestoreFile struct {
	Name    string `json:"name" show:"path"` // of the file in the session
	Path    string `json:"path" show:"path"` // where to restore it
	Version int    `json:"version"`          // 0 is the current one
	Shared  bool   `json:"-"`                // other sessions use the file too: an existing one stays
	Over    bool   `json:"-"`                // replace whatever is there

	// What PlanRestore found.
	Size  int64    `json:"bytes"`
	Sum   string   `json:"sha256"`
	State PutState `json:"state"`
}

// PutState is what restoring a file would do.
type PutState string

const (
	PutNew    PutState = "new"       // nothing is there
	PutLonger PutState = "longer"    // its beginning is there: nothing can be lost
	PutThere  PutState = "there"     // it is there, byte for byte
	PutKept   PutState = "kept"      // a different file is there and stays: shared between sessions, or in a database
	PutNewer  PutState = "newer"     // the file there continues after what is archived
	PutOther  PutState = "different" // a different file is there
	PutOver   PutState = "over"      // a different file is there and is replaced, as requested
)

// ErrInTheWay means that the target is a file that isn't the beginning of what is archived.
var ErrInTheWay = errors.New("another file is there")

// Blocked reports whether the file can't be restored to its place.
func (p RestoreFile) Blocked() bool { return p.State == PutNewer || p.State == PutOther }

// writes reports whether restoring changes anything.
func (p RestoreFile) writes() bool {
	return p.State == PutNew || p.State == PutLonger || p.State == PutOver
}

// PlanRestore compares the files at the targets with what is archived, and fills in Size, Sum and State. It reads
// both, so damaged archived bytes (ErrDamaged) are found before anything is written.
func (l *Library) PlanRestore(ctx context.Context, id ingest.SessionID, files []RestoreFile) error {
	for i := range files {
		if err := l.planOne(ctx, id, &files[i]); err != nil {
			return fmt.Errorf("%s: %w", files[i].Path, err)
		}
	}
	return nil
}

func (l *Library) planOne(ctx context.Context, id ingest.SessionID, p *RestoreFile) error {
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
			return ingest.ErrInDatabase
		}
		p.State = PutNew
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
	same, _, err := commonLength(disk.Until(ctx, r), there)
	if err != nil {
		return err
	}
	switch size := now.Size; {
	case same == size && size == v.Size:
		p.State = PutThere
	case inDatabase:
		p.State = PutKept
	case same == size:
		p.State = PutLonger
	case p.Shared:
		p.State = PutKept
	case p.Over:
		p.State = PutOver
	case same == v.Size:
		p.State = PutNewer
	default:
		p.State = PutOther
	}
	return nil
}

// commonLength returns the length of the common beginning of two streams, and whether that is all of there. It reads
// archived to its end, which verifies it.
func commonLength(archived, there io.Reader) (same int64, whole bool, err error) {
	a, b := make([]byte, 128<<10), make([]byte, 128<<10)
	for equal := true; ; {
		n, end := io.ReadFull(archived, a)
		if equal {
			m, err := io.ReadFull(there, b[:n])
			if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
				return same, false, err
			}
			common := samePrefix(a[:n], b[:m])
			same += int64(common)
			equal, whole = common == n, common == m && m < n
		}
		switch end {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			if equal { // up to the end of archived
				m, err := there.Read(b[:1])
				whole = m == 0 && err == io.EOF
			}
			return same, whole, nil
		default:
			return same, false, end
		}
	}
}

func samePrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// RestoreFiles restores the files that PlanRestore examined, unless one is Blocked (ErrInTheWay): each is written
// beside its target, synced, read again, hashed, and only then renamed. A file that appears there meanwhile is left
// alone. The files get the current time, because a client would delete them at once if they had their old one.
func (l *Library) RestoreFiles(ctx context.Context, id ingest.SessionID, files []RestoreFile) error {
	for _, p := range files {
		if p.Blocked() {
			return fmt.Errorf("%s: %w", p.Path, ErrInTheWay)
		}
	}
	for _, p := range files {
		if !p.writes() {
			continue
		}
		if err := l.restoreOne(ctx, id, p); err != nil {
			return fmt.Errorf("%s: %w", p.Path, err)
		}
	}
	if l.ReadOnly() != nil {
		return nil
	}
	return l.withSession(id, func(e Entry) error {
		e = e.Clone()
		for _, p := range files {
			e.markRestored(p)
		}
		return l.saveEntry(e)
	})
}

// markRestored records a source that was restored with the archived bytes: it counts as held.
func (e *Entry) markRestored(p RestoreFile) {
	f := e.Holding(p.Path)
	if f == nil || !p.writes() || p.Sum != f.Sum {
		return
	}
	if fi, err := os.Stat(p.Path); err == nil && fi.Size() == p.Size {
		*f.source(p.Path) = SourceState{Path: p.Path, Size: p.Size, Mod: fi.ModTime().UTC(),
			Stamp: ingest.Stamp(p.Path, fi), Version: f.Version}
	}
}

func (l *Library) restoreOne(ctx context.Context, id ingest.SessionID, p RestoreFile) error {
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
	if p.State == PutNew {
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
