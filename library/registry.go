package library

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/pelletier/go-toml/v2"

	"recall/library/disk"
	"recall/library/registry"
)

func (l *Library) readRegistry() (*registry.Registry, error) {
	path := filepath.Join(l.dir, "projects.toml")
	reg, err := l.registry.get(path, func() (*registry.Registry, error) {
		text, err := disk.ReadPlain(path)
		if err != nil {
			return nil, err
		}
		reg := &registry.Registry{}
		if err := toml.Unmarshal(text, reg); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return reg, nil
	})
	return cmp.Or(reg, &registry.Registry{}), err
}

// changeRegistry reads, changes and writes projects.toml under its lock.
func (l *Library) changeRegistry(change func(*registry.Registry) error) error {
	return l.UnderLock("folders", func() error {
		l.registry.reset()
		old, err := l.readRegistry()
		if err != nil {
			return err
		}
		reg := old.Clone()
		if err := change(reg); err != nil {
			return err
		}
		reg.Arrange()
		return l.putRegistry(reg)
	})
}

// putRegistry writes projects.toml unless it is unchanged. The caller holds the folders lock.
func (l *Library) putRegistry(reg *registry.Registry) error {
	text, err := toml.Marshal(reg)
	if err != nil {
		return err
	}
	text = disk.TOML.Seal(text)
	path := filepath.Join(l.dir, "projects.toml")
	if same(path, text) {
		return nil
	}
	err = l.Put(path, text)
	l.registry.reset()
	return err
}

// UniteProjects adds another library's projects. The error is ErrDamaged if they can't be read there.
func (l *Library) UniteProjects(from *Library) error {
	theirs, err := from.readRegistry()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if len(theirs.Projects) == 0 {
		return nil
	}
	return l.changeRegistry(func(r *registry.Registry) error {
		for _, p := range theirs.Clone().Projects {
			r.Unite(p)
		}
		return nil
	})
}

// LostProjects says what is wrong with projects.toml, judging by its checksum and the sessions, or returns "". text
// is its content, err why it can't be read.
func (l *Library) LostProjects(text []byte, err error, entries []Entry) string {
	reg := &registry.Registry{}
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err.Error()
	case err == nil && disk.TOML.SealOf(text) != disk.SealGood:
		return "its content doesn't match the checksum in its last line; if you edited it, recall check --repair " +
			"accepts it as it is"
	case toml.Unmarshal(text, reg) != nil:
		return "not valid TOML"
	case len(unknownProject(reg, entries)) == 0:
		return ""
	}
	// Sessions, and their projects, may have been forgotten since they were listed.
	l.Reload()
	entries, bad := l.AllEntries()
	n := len(unknownProject(reg, entries))
	switch {
	case bad != nil || n == 0:
		return ""
	case err != nil:
		return "it is gone"
	}
	return fmt.Sprintf("it lacks the projects of %d of the sessions", n)
}

// MendProjects accepts projects.toml as it is; one that can't be parsed is set aside. Projects that only sessions
// name are added again, by id; the others are found by their root when their sessions, returned in again, are
// distilled again.
func (l *Library) MendProjects() (how string, again []Entry, err error) {
	err = l.UnderLock("folders", func() error {
		all, err := l.AllEntries()
		if err != nil {
			return err
		}
		path := filepath.Join(l.dir, "projects.toml")
		text, err := disk.ReadIfThere(path)
		if err != nil {
			return err
		}
		reg := &registry.Registry{}
		if toml.Unmarshal(text, reg) != nil {
			aside := disk.FreeName(l.dir, "projects.toml.damaged")
			how, again = "set aside as "+filepath.Base(aside)+"; "+lostNames, all
			return errors.Join(disk.Rename(path, aside), disk.SyncDir(l.dir))
		}
		var ids []string
		for _, e := range all {
			ids = append(ids, e.projects()...)
		}
		reg.Reclaim(ids)
		again = unknownProject(reg, all)
		switch {
		case text == nil:
			how = lostNames
		case len(again) > 0:
			how = fmt.Sprintf("accepted as it is now; the projects of %d sessions are added again, "+
				"names given to them by hand are lost unless their folders still show them", len(again))
		default:
			how = "accepted as it is now"
		}
		return l.putRegistry(reg)
	})
	return how, again, err
}

const lostNames = "the projects are added again, names given by hand are lost"

// unknownProject lists sessions whose project isn't in projects.toml. They must not be distilled before it is added.
func unknownProject(reg *registry.Registry, entries []Entry) []Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool {
		lost := func(id string) bool { return id != "" && reg.Find(id) == nil }
		return !slices.ContainsFunc(e.projects(), lost)
	})
}
