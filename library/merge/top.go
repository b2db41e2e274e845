package merge

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/library"
	"recall/library/disk"
)

// projects unites the registries, before any session is brought over.
func (m *merging) projects() error {
	err := m.l.UniteProjects(m.from)
	if errors.Is(err, library.ErrDamaged) {
		m.problem(filepath.Join(m.from.Dir(), "projects.toml"), err.Error())
		return nil // sessions of projects that aren't known stay unsorted until they are parsed again
	}
	return err
}

// tombstones unites what was forgotten. What is still here goes only if that was asked for.
func (m *merging) tombstones() error {
	ids, err := m.from.Tombstones()
	if err != nil {
		m.problem(filepath.Join(m.from.Dir(), "tombstones.jsonl"), err.Error())
		return nil
	}
	var absent, here []ingest.SessionID
	for _, id := range ids {
		switch _, err := m.l.Session(id); {
		case !library.ValidID(id):
			m.problem(filepath.Join(m.from.Dir(), "tombstones.jsonl"), "no session's id: "+string(id))
		case errors.Is(err, library.ErrNoSession):
			absent = append(absent, id)
		case err != nil:
			return err
		default:
			here = append(here, id)
		}
	}
	if err := errors.Join(m.frozen(), m.l.Bury(absent)); err != nil {
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
	return m.l.Forget(here, nil)
}

// forgotten unites the forgotten items. What is here of them goes first, so that what was cut short is done again.
func (m *merging) forgotten() error {
	theirs, err := m.from.ForgottenItems()
	if err != nil {
		m.problem(m.from.Dir(), err.Error())
		return nil
	}
	ours, err := m.l.ForgottenItems()
	if err != nil {
		return err
	}
	var fresh []library.ForgottenItem
	for id, items := range theirs {
		fresh = append(fresh, slices.DeleteFunc(slices.Clone(items), func(it library.ForgottenItem) bool {
			return slices.ContainsFunc(ours[id], func(o library.ForgottenItem) bool { return o.Name == it.Name })
		})...)
	}
	if len(fresh) == 0 {
		return nil
	}
	slices.SortFunc(fresh, func(a, b library.ForgottenItem) int { return strings.Compare(a.Name, b.Name) })
	return cmp.Or(m.l.DropItems(fresh...), m.l.ForgetItems(fresh...))
}

// dropForgotten drops what a session that came brought of what was forgotten.
func (m *merging) dropForgotten(id ingest.SessionID) error {
	if err := m.l.DropForgotten(id); !errors.Is(err, library.ErrNoSession) {
		return err
	}
	return nil // it was forgotten itself
}

// frozen takes over which sessions stay as they were.
func (m *merging) frozen() error {
	ids, err := m.from.AllFrozen()
	for _, id := range ids {
		if library.ValidID(id) { // else it is a problem of tombstones
			err = errors.Join(err, m.l.Freeze(id))
		}
	}
	return err
}

// logs unites the append-only files at the top.
func (m *merging) logs() error {
	for _, path := range m.from.TopLogs() {
		name := filepath.FromSlash(m.from.Rel(path))
		if name == "tombstones.jsonl" || name == "forgotten.jsonl" {
			continue
		}
		text, err := disk.ReadPlain(path)
		if err != nil {
			m.problem(path, err.Error())
			continue
		}
		if err := m.uniteTop(name, text); err != nil {
			return err
		}
	}
	return nil
}

// uniteTop adds the lines that a file at the top lacks. Of threads.jsonl the later line wins: they are put in the order
// of their times. To the others anybody may append meanwhile, to the inbox' a fold.
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
			gone, _, err := m.l.Gone()
			if err != nil {
				return err
			}
			fresh = slices.DeleteFunc(fresh, func(line []byte) bool { return library.Names(line, gone) })
		}
		if len(fresh) == 0 {
			return nil
		}
		if err := disk.MakeDirs(filepath.Dir(path)); err != nil {
			return err
		}
		if name == "threads.jsonl" {
			return m.l.Put(path, library.InOrder(append(disk.SplitLines(have), fresh...)))
		}
		if err := disk.AppendShared(path, bytes.Join(append(fresh, nil), []byte("\n"))); err != nil {
			return err
		}
		return errors.Join(disk.SyncFiles([]string{path}), disk.SyncDir(filepath.Dir(path)))
	})
}

// others copies what is at the top and isn't lines: models' answers but for those about
// what was forgotten here, and, of a library that is followed, whatever its owner put there.
func (m *merging) others() error {
	_, gone, err := m.l.Gone()
	if err != nil {
		return err
	}
	return disk.Walk(m.from.Dir(), func(path string, d fs.DirEntry, err error) error {
		name, relErr := filepath.Rel(m.from.Dir(), path)
		if err != nil || relErr != nil {
			m.problem(path, "can't be read")
			return nil
		}
		top, _, below := strings.Cut(filepath.ToSlash(name), "/")
		switch {
		case d.IsDir() && (name == "." || top == library.CacheName):
			return nil
		case d.IsDir():
			return fs.SkipDir
		case !d.Type().IsRegular(), below && top != library.CacheName,
			!below && (!m.options.Follow || m.l.IsTop(name) || strings.HasPrefix(name, ".")),
			below && len(gone) > 0 && !library.AnswerStays(path, gone, nil):
			return nil
		}
		text, err := disk.ReadPlain(path)
		if err != nil {
			m.problem(path, err.Error())
			return nil
		}
		target := filepath.Join(m.l.Dir(), name)
		if have, err := disk.ReadPlain(target); err == nil && (bytes.Equal(have, text) || !m.options.Follow) {
			return nil
		}
		if err := disk.MakeDirs(filepath.Dir(target)); err != nil {
			return err
		}
		return m.l.Put(target, text)
	})
}
