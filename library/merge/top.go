package merge

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/library"
	"recall/library/disk"
	"recall/library/forget"
)

// projects merges the registries, before any session is merged.
func (m *merging) projects() error {
	err := m.l.UniteProjects(m.from)
	if errors.Is(err, library.ErrDamaged) {
		m.problem(filepath.Join(m.from.Dir(), "projects.toml"), err)
		return nil // sessions of unknown projects stay unsorted until parsed again
	}
	return err
}

// tombstones merges the forgotten and the frozen sessions. What is still here is forgotten only if requested.
func (m *merging) tombstones() error {
	ids, err := m.from.Tombstones()
	if err != nil {
		m.problem(filepath.Join(m.from.Dir(), "tombstones.jsonl"), err)
		return nil
	}
	var absent, here []ingest.SessionID
	for _, id := range ids {
		switch _, err := m.l.Session(id); {
		case !library.ValidID(id):
			m.problem(filepath.Join(m.from.Dir(), "tombstones.jsonl"), fmt.Errorf("not a session id: %s", id))
		case errors.Is(err, library.ErrNoSession):
			absent = append(absent, id)
		case err != nil:
			return err
		default:
			here = append(here, id)
		}
	}
	frozen, err := m.from.AllFrozen()
	for _, id := range frozen {
		if library.ValidID(id) {
			err = errors.Join(err, m.l.Freeze(id))
		}
	}
	if err := errors.Join(err, m.l.MarkForgotten(absent)); err != nil {
		return err
	}
	if len(here) == 0 {
		return nil
	}
	if !m.options.Forget {
		m.done.Kept = here
		return nil
	}
	m.done.Gone = here
	return forget.Sessions(m.l, here, nil)
}

// logs merges the append-only files at the top.
func (m *merging) logs() error {
	for _, path := range m.from.TopLogs() {
		name := filepath.FromSlash(m.from.Rel(path))
		if name == "tombstones.jsonl" {
			continue
		}
		text, err := disk.ReadPlain(path)
		if err != nil {
			m.problem(path, err)
			continue
		}
		if err := m.uniteTop(name, text); err != nil {
			return err
		}
	}
	return nil
}

// uniteTop adds the lines that a file at the top lacks. In threads.jsonl the later line wins, so it is sorted by
// time. Anybody may append to the others meanwhile, and a fold may rewrite the inbox.
func (m *merging) uniteTop(name string, other []byte) error {
	guard := "folders"
	switch {
	case filepath.Dir(name) == "inbox":
		guard = "inbox"
	case name == library.LinksName:
		guard = "links"
	}
	return m.l.UnderLock(guard, func() error {
		path := filepath.Join(m.l.Dir(), name)
		have, err := disk.ReadIfThere(path)
		if err != nil {
			return err
		}
		fresh := disk.Lacking(have, other)
		if name != "journal.jsonl" && name != library.UsageName {
			gone, err := m.l.Tombstones()
			if err != nil {
				return err
			}
			names := library.Quoted(gone)
			fresh = slices.DeleteFunc(fresh, func(line []byte) bool { return library.Names(line, names) })
		}
		if len(fresh) == 0 {
			return nil
		}
		if err := disk.MakeDirs(filepath.Dir(path)); err != nil {
			return err
		}
		if name == "threads.jsonl" {
			return m.l.Put(path, library.SortLines(append(disk.SplitLines(have), fresh...)))
		}
		if err := m.l.Appending(func() error {
			return disk.AppendShared(path, bytes.Join(append(fresh, nil), []byte("\n")))
		}); err != nil {
			return err
		}
		return errors.Join(disk.SyncFiles([]string{path}), disk.SyncDir(filepath.Dir(path)))
	})
}

// others copies files at the top that aren't append-only: models' answers, except those about what was forgotten
// here, and, if following, files that its owner put there.
func (m *merging) others() error {
	gone, err := m.l.Tombstones()
	if err != nil {
		return err
	}
	return disk.Walk(m.from.Dir(), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			m.problem(path, err)
			return nil
		}
		name := m.from.Rel(path)
		top, _, below := strings.Cut(name, "/")
		switch {
		case d.IsDir() && (name == "." || top == library.CacheName):
			return nil
		case d.IsDir():
			return fs.SkipDir
		case !d.Type().IsRegular(), below && top != library.CacheName,
			!below && (!m.options.Follow || library.IsTop(name) || strings.HasPrefix(name, ".")),
			below && len(gone) > 0 && !library.AnswerStays(path, gone, nil):
			return nil
		}
		text, err := disk.ReadPlain(path)
		if err != nil {
			m.problem(path, err)
			return nil
		}
		target := filepath.Join(m.l.Dir(), filepath.FromSlash(name))
		if have, err := disk.ReadPlain(target); err == nil && (bytes.Equal(have, text) || !m.options.Follow) {
			return nil
		}
		if err := disk.MakeDirs(filepath.Dir(target)); err != nil {
			return err
		}
		return m.l.Put(target, text)
	})
}
