package library

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/registry"
	"recall/text"
)

// Place notes what parsing told of a session and moves its folder to where that belongs: <project>/<date title id8>.
// m.Project is in the registry (see ProjectFor). session.json is written before the move, so that Settle can finish one
// that was cut short.
func (l *Library) Place(id ingest.SessionID, m Meta) error {
	err := l.resolve(&m)
	if err == nil {
		err = l.placeOne(id, &m)
	}
	if err != nil {
		return fmt.Errorf("place %s: %w", id, err)
	}
	return nil
}

// resolve puts the project that is meant by now into m, if there is one.
func (l *Library) resolve(m *Meta) error {
	if m == nil {
		return nil
	}
	p, err := l.Project(m.Project)
	if err != nil {
		return err
	}
	if m.Project = p.ID; p.ID == "" {
		return errors.New("no project given")
	}
	return nil
}

// Settle moves every session's folder to where it belongs: what a rename or merge of projects or a crash left. With
// nothing to do it looks at memory only, so that every sync can end with it. The error tells of folders that could not
// be moved; the others were. Where a link is in the way, which Broken tells of, a folder stays.
func (l *Library) Settle() error {
	if err := l.ReadOnly(); err != nil {
		return err
	}
	all, err := l.listed()
	if err != nil {
		return err
	}
	reg, err := l.readRegistry()
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range all {
		if want := l.wanted(e, reg); want == e.Folder {
			continue
		}
		if err := l.placeOne(e.ID, nil); err != nil && !errors.Is(err, disk.ErrNotPlain) {
			errs = append(errs, fmt.Errorf("move %s: %w", e.Folder, err))
		}
	}
	return errors.Join(errs...)
}

// placeOne takes over m, if there is one, and moves one session's folder.
func (l *Library) placeOne(id ingest.SessionID, m *Meta) error {
	return l.withSession(id, func(e Entry) error {
		if m != nil {
			e.describe(m)
			if err := l.saveEntry(e); err != nil {
				return err
			}
			e, _ = l.known(id) // brought to this format
		}
		return l.move(e)
	})
}

// describe takes over m, if there is one.
func (e *Entry) describe(m *Meta) {
	if m == nil {
		return
	}
	e.Meta = *m
	if m.Settled && e.Named == "" {
		e.Named = disk.SafeName(m.Title, maxFolder)
	}
}

// move brings a session's folder to its place. The caller holds its lock.
func (l *Library) move(e Entry) error {
	if reg, err := l.readRegistry(); err == nil && l.wanted(e, reg) == e.Folder {
		return nil // whoever changes the registry moves it then
	}
	return l.withFolders(func() error {
		reg, err := l.readRegistry()
		if err != nil {
			return err
		}
		want := l.wanted(e, reg)
		if want == e.Folder {
			return nil
		}
		from, to := filepath.Dir(e.Folder), filepath.Dir(want)
		if err := disk.MakeDirs(to); err != nil {
			return err
		}
		if a, err := os.Stat(want); err == nil {
			// On a file system that ignores case it may be the folder itself.
			if b, err := os.Stat(e.Folder); err != nil || !os.SameFile(a, b) {
				want = disk.FreeName(to, filepath.Base(want))
			}
		}
		old := e.Folder
		e.Folder = want
		if err := l.relocate(old, e); err != nil {
			return err
		}
		disk.Unlink(from) // if that was the last one
		return disk.SyncDir(to)
	})
}

// wanted is where a folder belongs: where it is, if it has no project, or has that name beside another of the same.
func (l *Library) wanted(e Entry, reg *registry.Registry) string {
	p := reg.Find(e.Project)
	if p == nil {
		return e.Folder
	}
	want := filepath.Join(l.dir, p.Folder, folderName(e))
	if besideAnother().ReplaceAllString(e.Folder, "") == want {
		return e.Folder
	}
	return want
}

const maxFolder = registry.MaxFolder

// ValidID refuses ids that could leave a folder or can't name one.
func ValidID(id ingest.SessionID) bool {
	return len(id) <= 128 && fitID().MatchString(string(id)) && !disk.DeviceName(string(id))
}

var fitID = text.Pattern(`^[\w-](?:[\w.-]*[\w-])?$`)

// idPart is the beginning of an id that a folder's name ends in: eight characters of the bare one. Equal names are
// told apart by disk.FreeName.
func idPart(id ingest.SessionID) string {
	own := bareID(id)
	return own[:min(8, len(own))]
}

func bareID(id ingest.SessionID) string {
	return strings.ToLower(text.BareID(id))
}

// folderName is "2026-04-17 Fix duplicate jobs 7f3c1a2b".
func folderName(e Entry) string {
	date, idPart := "undated", idPart(e.ID)
	if !e.Start.IsZero() {
		date = e.Start.UTC().Format("2006-01-02")
	}
	title := disk.SafeName(e.Named, maxFolder-len(date)-len(idPart)-2)
	if title == "" {
		return date + " " + idPart
	}
	return date + " " + title + " " + idPart
}
