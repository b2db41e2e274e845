package library

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

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
