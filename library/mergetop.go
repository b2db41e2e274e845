package library

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/library/disk"
	"recall/payload"
)

// projects unites the registries, before any session is brought over.
func (m *merging) projects() error {
	theirs, err := m.from.readRegistry()
	if err != nil {
		m.problem(filepath.Join(m.from.dir, "projects.toml"), err.Error())
		return nil // sessions of projects that aren't known stay unsorted until they are parsed again
	}
	if len(theirs.Projects) == 0 {
		return nil
	}
	return m.l.changeRegistry(func(r *registry) error {
		for _, p := range theirs.clone().Projects {
			r.unite(p)
		}
		return nil
	})
}

// unite takes in a project of another registry. What depends on an order is
// told from the texts, so that any order gives the same.
func (r *registry) unite(p Project) {
	have := r.find(p.ID)
	if have == nil {
		r.Projects = append(r.Projects, p)
		return
	}
	if have.Root != p.Root && p.Root != "" && have.ID == p.ID {
		have.Former = union(have.Former, []string{p.Root})
	}
	have.Former, have.Merged = union(have.Former, p.Former), union(have.Merged, p.Merged)
	have.Ids = union(have.Ids, p.Ids)
	if have.ID != p.ID {
		have.Ids = union(have.Ids, []string{p.ID})
	}
	if p.Named && (!have.Named || p.Name < have.Name) {
		have.Name, have.Named = p.Name, true
	}
	if have.Base != p.Base && have.ID == p.ID {
		have.Base = safer(have.Base, p.Base)
	}
	for _, s := range p.Shown {
		have.showAs(s.Dir, s.As)
	}
	have.Remote, have.Birth = max(have.Remote, p.Remote), max(have.Birth, p.Birth)
}

// tombstones unites what was forgotten. What is still here goes only if that
// was asked for.
func (m *merging) tombstones() error {
	ids, err := m.from.Tombstones()
	if err != nil {
		m.problem(filepath.Join(m.from.dir, "tombstones.jsonl"), err.Error())
		return nil
	}
	var absent, here []ingest.SessionID
	for _, id := range ids {
		switch _, ok, err := m.l.current(id); {
		case err != nil:
			return err
		case !validID(id):
			m.problem(filepath.Join(m.from.dir, "tombstones.jsonl"), "no session's id: "+string(id))
		case ok:
			here = append(here, id)
		default:
			absent = append(absent, id)
		}
	}
	if err := m.l.bury(absent); err != nil {
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

// logs unites the append-only files at the top.
func (m *merging) logs() error {
	for _, pattern := range []string{"*.jsonl", filepath.Join("inbox", "*.jsonl")} {
		paths, err := disk.Glob(m.from.dir, pattern)
		if err != nil {
			return err
		}
		for _, path := range paths {
			name, err := filepath.Rel(m.from.dir, path)
			if err != nil || name == "tombstones.jsonl" {
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
	}
	return nil
}

// uniteTop adds the lines that a file at the top lacks. Of threads.jsonl the
// later line wins, so they are put in the order of their times. To the others
// anybody may append meanwhile, and to the inbox' a fold.
func (m *merging) uniteTop(name string, other []byte) error {
	guard := "folders"
	if filepath.Dir(name) == "inbox" {
		guard = "inbox"
	}
	unlock, err := m.l.lock(guard)
	if err != nil {
		return err
	}
	defer unlock()
	path := filepath.Join(m.l.dir, name)
	have, err := disk.ReadPlain(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	fresh := lacking(have, other)
	if name != "journal.jsonl" && name != usageName {
		fresh = slices.DeleteFunc(fresh, m.namesForgotten)
	}
	if len(fresh) == 0 {
		return nil
	}
	if err := disk.MakeDirs(filepath.Dir(path)); err != nil {
		return err
	}
	if name == "threads.jsonl" {
		err = m.l.put(path, inOrder(append(disk.SplitLines(have), fresh...)))
	} else {
		err = disk.AppendShared(path, bytes.Join(append(fresh, nil), []byte("\n")))
		if err == nil {
			err = disk.SyncFiles([]string{path})
		}
	}
	return errors.Join(err, disk.SyncDir(filepath.Dir(path)))
}

// namesForgotten reports whether a line names a session that was forgotten here.
func (m *merging) namesForgotten(line []byte) bool {
	m.l.mu.Lock()
	defer m.l.mu.Unlock()
	for id := range m.l.tombs {
		if bytes.Contains(line, []byte(`"`+string(id)+`"`)) {
			return true
		}
	}
	return false
}

// links unites what is said of decisions that bear on one another.
func (m *merging) links() error {
	theirs, _, err := m.from.Links()
	if err != nil {
		m.problem(m.from.dir, err.Error())
	}
	mine, _, err := m.l.Links()
	if err != nil {
		return err
	}
	have := map[string]bool{}
	for _, line := range mine {
		have[linkText(line)] = true
	}
	var fresh []payload.Link
	folderOf := m.l.linksFolder()
	for _, line := range theirs {
		_, ok := folderOf(&line)
		if text := linkText(line); ok && !have[text] {
			have[text] = true
			fresh = append(fresh, line)
		}
	}
	return m.l.AppendLinks(fresh)
}

func linkText(line payload.Link) string {
	text, err := payload.EncodeLinks([]payload.Link{line})
	if err != nil {
		return ""
	}
	return string(text)
}

// noneForgotten says that no session of the other was forgotten here.
func (m *merging) noneForgotten() (bool, error) {
	entries, err := m.from.Shelved()
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		if gone, err := m.l.forgotten(e.ID); gone || err != nil {
			return false, err
		}
	}
	return true, nil
}

// others copies what is at the top and isn't lines: models' answers, and, of a
// library that is followed, whatever its owner put there.
//
// An answer doesn't say what it is about: where the other has a session that was
// forgotten here, none is taken over.
func (m *merging) others() error {
	answers, err := m.noneForgotten()
	if err != nil {
		return err
	}
	return disk.Walk(m.from.dir, func(path string, d fs.DirEntry, err error) error {
		name, relErr := filepath.Rel(m.from.dir, path)
		if err != nil || relErr != nil {
			m.problem(path, "can't be read")
			return nil
		}
		top, _, below := strings.Cut(filepath.ToSlash(name), "/")
		switch {
		case d.IsDir() && (name == "." || top == cacheName && answers):
			return nil
		case d.IsDir():
			return fs.SkipDir
		case !d.Type().IsRegular() || below && top != cacheName || !below && (!m.options.Follow || topFiles[name] || strings.HasPrefix(name, ".")):
			return nil
		}
		text, err := disk.ReadPlain(path)
		if err != nil {
			m.problem(path, err.Error())
			return nil
		}
		target := filepath.Join(m.l.dir, name)
		if have, err := disk.ReadPlain(target); err == nil && (bytes.Equal(have, text) || !m.options.Follow) {
			return nil
		}
		if err := disk.MakeDirs(filepath.Dir(target)); err != nil {
			return err
		}
		return errors.Join(m.l.put(target, text), disk.SyncDir(filepath.Dir(target)))
	})
}
