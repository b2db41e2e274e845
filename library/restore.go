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

// A Putting is one file of a session on its way out of the library.
type Putting struct {
	Name    string `json:"name" show:"path"` // of the file in the session
	Path    string `json:"path" show:"path"` // where it is to be
	Version int    `json:"version"`          // 0 is the current one
	Shared  bool   `json:"-"`                // other sessions use the file too: one that is there stays
	Over    bool   `json:"-"`                // replaces whatever file is there

	// What LookAt found.
	Size  int64    `json:"bytes"`
	Sum   string   `json:"sha256"`
	State PutState `json:"state"`
}

// PutState is what putting a file back would mean.
type PutState string

const (
	PutNew    PutState = "new"       // nothing is there
	PutLonger PutState = "longer"    // the beginning of it is there: nothing can be lost
	PutThere  PutState = "there"     // it is there already, byte for byte
	PutKept   PutState = "kept"      // another one is there, and stays: it isn't the session's alone, or in a database
	PutNewer  PutState = "newer"     // the file that is there goes on after what is archived
	PutOther  PutState = "different" // a different file is there
	PutOver   PutState = "over"      // a different file is there and is replaced, as asked
)

// ErrInTheWay: a file is where one is to be put that it isn't the beginning of.
var ErrInTheWay = errors.New("another file is there")

// Blocked reports whether the file can't be put where it should be.
func (p Putting) Blocked() bool { return p.State == PutNewer || p.State == PutOther }

// writes reports whether anything is to be done.
func (p Putting) writes() bool {
	return p.State == PutNew || p.State == PutLonger || p.State == PutOver
}

// LookAt compares what is where the files are to be put with what is archived, and fills in Size, Sum and State. It
// reads both: damaged archived bytes (ErrDamaged) are found before anything is written.
func (l *Library) LookAt(ctx context.Context, id ingest.SessionID, files []Putting) error {
	for i := range files {
		if err := l.lookAtOne(ctx, id, &files[i]); err != nil {
			return fmt.Errorf("%s: %w", files[i].Path, err)
		}
	}
	return nil
}

func (l *Library) lookAtOne(ctx context.Context, id ingest.SessionID, p *Putting) error {
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
			return errors.New("a link that leads nowhere is there")
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

// commonLength is how many bytes two streams begin with in common, and whether those are all of there; archived is
// read, and so checked, to its end.
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
			if equal { // as far as archived goes
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

// PutBack writes the files that LookAt looked at, if none is Blocked (ErrInTheWay): each beside its place, synced, read
// again, hashed, and only then given its name. One that turns up there meanwhile is left alone. Files get today's time:
// by the old one a client would delete them at once.
func (l *Library) PutBack(ctx context.Context, id ingest.SessionID, files []Putting) error {
	for _, p := range files {
		if p.Blocked() {
			return fmt.Errorf("%s: %w", p.Path, ErrInTheWay)
		}
	}
	for _, p := range files {
		if !p.writes() {
			continue
		}
		if err := l.putBackOne(ctx, id, p); err != nil {
			return fmt.Errorf("%s: %w", p.Path, err)
		}
	}
	if l.ReadOnly() != nil {
		return nil
	}
	return l.withSession(id, func(e Entry) error {
		e = e.Clone()
		for _, p := range files {
			e.foundAgain(p)
		}
		return l.saveEntry(e)
	})
}

// foundAgain notes a source that was put back as it is archived: it is held.
func (e *Entry) foundAgain(p Putting) {
	f := e.Holding(p.Path)
	if f == nil || !p.writes() || p.Sum != f.Sum {
		return
	}
	if fi, err := os.Stat(p.Path); err == nil && fi.Size() == p.Size {
		*f.source(p.Path) = SourceState{Path: p.Path, Size: p.Size, Mod: fi.ModTime().UTC(),
			Stamp: ingest.Stamp(p.Path, fi), Version: f.Version}
	}
}

func (l *Library) putBackOne(ctx context.Context, id ingest.SessionID, p Putting) error {
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
		name = nameNew
	}
	if err := name(temp, p.Path); err != nil {
		return err
	}
	return disk.SyncDir(filepath.Dir(p.Path))
}

// nameNew gives a file a name that nobody has.
func nameNew(temp, path string) error {
	err := os.Link(temp, path)
	if errors.Is(err, fs.ErrExist) {
		return ErrInTheWay
	}
	if err == nil {
		return nil
	}
	if disk.Exists(path) { // a file system without links
		return ErrInTheWay
	}
	return disk.Rename(temp, path)
}
