package library

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/internal/text"
	"recall/library/disk"
	"recall/library/registry"
)

// Place records what parsing found out about a session and moves its folder to <project>/<date title id8>. m.Project
// must be in the registry (see ProjectFor). session.json is written before the move, so that Settle can finish an
// interrupted one.
func (l *Library) Place(id ingest.SessionID, m Meta) error {
	err := l.resolve(&m)
	if err == nil {
		err = l.WithSession(id, func(e Entry) error {
			e.describe(&m)
			if err := l.SaveEntry(e); err != nil {
				return err
			}
			return l.move(e)
		})
	}
	if err != nil {
		return fmt.Errorf("place %s: %w", id, err)
	}
	return nil
}

// resolve replaces m.Project with the project it now refers to, for example after a merge of projects.
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
	m.Also = slices.Clone(m.Also)
	for i, id := range m.Also {
		if p, err = l.Project(id); err != nil {
			return err
		}
		m.Also[i] = p.ID
	}
	m.Also = slices.DeleteFunc(m.Also, func(id string) bool { return id == m.Project })
	return nil
}

// Settle moves every session's folder to where it belongs, after projects were renamed or merged, or after a crash.
// With nothing to do it only looks at memory, so every sync can end with it. The error names folders that could not
// be moved; the others were. A folder stays where it is if a link is in the way, which Broken reports.
func (l *Library) Settle() error {
	if err := l.ReadOnly(); err != nil {
		return err
	}
	all, err := l.entries(false)
	if err != nil {
		return err
	}
	reg, err := l.readRegistry()
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range all {
		if want := l.targetFolder(e, reg); want == e.Folder {
			continue
		}
		if err := l.WithSession(e.ID, l.move); err != nil && !errors.Is(err, disk.ErrNotPlain) {
			errs = append(errs, fmt.Errorf("move %s: %w", e.Folder, err))
		}
	}
	return errors.Join(errs...)
}

// describe applies m, unless it is nil.
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
	if reg, err := l.readRegistry(); err == nil && l.targetFolder(e, reg) == e.Folder {
		return nil // whoever changes the registry moves it afterwards
	}
	return l.withFolders(func() error {
		reg, err := l.readRegistry()
		if err != nil {
			return err
		}
		want := l.targetFolder(e, reg)
		if want == e.Folder {
			return nil
		}
		from, to := filepath.Dir(e.Folder), filepath.Dir(want)
		if err := disk.MakeDirs(to); err != nil {
			return err
		}
		if a, err := os.Stat(want); err == nil {
			// On a case-insensitive file system it may be the folder itself.
			if b, err := os.Stat(e.Folder); err != nil || !os.SameFile(a, b) {
				want = disk.FreeName(to, filepath.Base(want))
			}
		}
		old := e.Folder
		e.Folder = want
		if err := l.relocate(old, e); err != nil {
			return err
		}
		disk.Unlink(from) // if it is empty now
		return disk.SyncDir(to)
	})
}

// targetFolder returns where a folder belongs. It stays where it is if it has no project, or if it has the right name
// with a number added.
func (l *Library) targetFolder(e Entry, reg *registry.Registry) string {
	p := reg.Find(e.Project)
	if p == nil {
		return e.Folder
	}
	want := filepath.Join(l.dir, p.Folder, folderName(e))
	if freeNameSuffix().ReplaceAllString(e.Folder, "") == want {
		return e.Folder
	}
	return want
}

const maxFolder = registry.MaxFolder

// ValidID rejects ids that could escape their folder or can't name one.
func ValidID(id ingest.SessionID) bool {
	return len(id) <= 128 && fitID().MatchString(string(id)) && !disk.DeviceName(string(id))
}

var fitID = text.Pattern(`^[\w-](?:[\w.-]*[\w-])?$`)

func bareID(id ingest.SessionID) string { return strings.ToLower(text.BareID(id)) }

// folderName returns a name like "2026-04-17 Fix duplicate jobs 7f3c1a2b".
func folderName(e Entry) string {
	date, idPart := "undated", bareID(e.ID)
	idPart = idPart[:min(8, len(idPart))] // disk.FreeName tells equal names apart
	if !e.Start.IsZero() {
		date = e.Start.UTC().Format("2006-01-02")
	}
	title := disk.SafeName(e.Named, maxFolder-len(date)-len(idPart)-2)
	if title == "" {
		return date + " " + idPart
	}
	return date + " " + title + " " + idPart
}
