package library

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/registry"
	"recall/payload"
)

// ErrNoProject means that no project has that id or name.
var ErrNoProject = registry.ErrNoProject

// A Project is an entry of projects.toml.
type Project = registry.Project

// ProjectFor returns the registry's entry for a project found by parsing, after adding it if new and moving it if
// p.Was says so. It may take the plain name from a project that had it; Settle then moves that project's sessions.
func (l *Library) ProjectFor(p ingest.Project) (Project, error) {
	reg, err := l.readRegistry()
	if err != nil {
		return Project{}, err
	}
	if p.Root == "" && (p.Name == "" || p.Name == ingest.NoProject) {
		p.Name, p.ShownName = ingest.NoProject, ""
	}
	id := reg.IDFor(p)
	if have := reg.Match(id, p); have != nil {
		now := *have
		if now.Learn(p); reflect.DeepEqual(now, *have) {
			return now, nil
		}
	}
	err = l.changeRegistry(func(r *registry.Registry) error {
		have := r.Match(id, p)
		if have == nil {
			r.Projects = append(r.Projects, Project{ID: id, Base: cmp.Or(p.ShownName, p.Name), Root: p.Root})
			have = &r.Projects[len(r.Projects)-1]
		}
		have.Learn(p)
		return nil
	})
	if err != nil {
		return Project{}, fmt.Errorf("project %s: %w", p.Name, err)
	}
	if reg, err = l.readRegistry(); err != nil {
		return Project{}, err
	}
	return *reg.Match(id, p), nil
}

// Roots returns the registry in the form that ingest.ProjectOf takes.
func (l *Library) Roots() ([]ingest.Root, error) {
	reg, err := l.readRegistry()
	if err != nil {
		return nil, err
	}
	var roots []ingest.Root
	for _, p := range reg.Projects {
		if p.Root != "" {
			roots = append(roots, ingest.Root{Dir: p.Root, Former: p.Former, Merged: p.Merged, Remote: p.Remote,
				Birth: p.Birth})
		}
	}
	return roots, nil
}

// Projects lists the registry by name.
func (l *Library) Projects() ([]Project, error) {
	reg, err := l.readRegistry()
	if err != nil {
		return nil, err
	}
	all := reg.Clone().Projects
	slices.SortFunc(all, func(a, b Project) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return all, nil
}

// ProjectsByID returns all projects by every id that they have had.
func (l *Library) ProjectsByID() (map[string]Project, error) {
	all, err := l.Projects()
	byID := map[string]Project{}
	for _, p := range all {
		for _, id := range append(p.Ids, p.ID) {
			byID[id] = p
		}
	}
	return byID, err
}

// Project finds a project by id, name, handle, folder or root. The error is ErrNoProject.
func (l *Library) Project(name string) (Project, error) {
	reg, err := l.readRegistry()
	if err != nil {
		return Project{}, err
	}
	if p := cmp.Or(reg.Find(name), reg.At(name)); p != nil {
		return *p, nil
	}
	for _, p := range reg.Projects {
		if strings.EqualFold(p.Name, name) || strings.EqualFold(p.Folder, name) ||
			strings.EqualFold(payload.ProjectHandle(p.Name), name) {
			return p, nil
		}
	}
	return Project{}, fmt.Errorf("%q: %w", name, ErrNoProject)
}

// RenameProject gives a project a permanent name and moves its sessions.
func (l *Library) RenameProject(id, name string) error {
	if disk.SafeName(name, maxFolder) == "" {
		return fmt.Errorf("rename project: %q can't name a folder", name)
	}
	err := l.changeRegistry(func(r *registry.Registry) error { return r.Rename(id, name) })
	if err != nil {
		return err
	}
	return l.Settle()
}

// MergeProjects makes one project, with its roots and sessions, part of another.
func (l *Library) MergeProjects(from, into string) error {
	err := l.changeRegistry(func(r *registry.Registry) error { return r.Merge(from, into) })
	if err != nil {
		return err
	}
	return l.Settle()
}

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
