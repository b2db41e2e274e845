package library

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recall/ingest"
)

// ErrNoProject: no project of that id or name.
var ErrNoProject = errors.New("no such project")

// A Project is an entry of projects.toml. Two projects whose roots have the
// same name are told apart by the folder above, "app (play)"; the first by
// root keeps the bare name, whichever arrived first.
//
// A folder's name may hold a secret. Which project a session is of is told by
// exact folders, so Root, Former and Merged are: they are as raw as a transcript,
// and whoever shows one calls Show. Name, Base and Folder hold no secret, and
// nothing that is derived says any other name.
type Project struct {
	ID     string   `toml:"id"`               // made of the root, or name, that it was first seen with
	Name   string   `toml:"name"`             // shown
	Base   string   `toml:"base"`             // as its root gives it, before a suffix
	Folder string   `toml:"folder"`           // in the library
	Named  bool     `toml:"named,omitempty"`  // a person gave the name: it stays
	Root   string   `toml:"root"`             // its folder, where it was last seen; "" of a space
	Former []string `toml:"former,omitempty"` // where it has been
	Merged []string `toml:"merged,omitempty"` // folders that a person declared to be the same project
	Ids    []string `toml:"ids,omitempty"`    // of the projects that were merged into it
	Remote string   `toml:"remote,omitempty"` // as ingest.Project has them
	Birth  string   `toml:"birth,omitempty"`
	Shown  []shown  `toml:"shown,omitempty"` // folders whose names hold a secret
}

// shown says how a folder is shown.
type shown struct {
	Dir string `toml:"dir"` // exact
	As  string `toml:"as"`
}

// Show is a folder of the project as it may be shown.
func (p *Project) Show(dir string) string {
	for _, s := range p.Shown {
		if s.Dir == dir {
			return s.As
		}
	}
	return dir
}

// Roots are all folders that the project goes by, as they may be shown too: what
// was derived of a session names files below those.
func (p *Project) Roots() []string {
	var all []string
	for _, dir := range slices.Concat([]string{p.Root}, p.Former, p.Merged) {
		if dir == "" {
			continue
		}
		all = append(all, dir)
		if as := p.Show(dir); as != dir {
			all = append(all, as)
		}
	}
	return all
}

// ProjectFor is the registry's entry for a project as parsing tells it,
// entered if it is new, moved if p.Was says so.
func (l *Library) ProjectFor(p ingest.Project) (Project, error) {
	reg, err := l.readRegistry()
	if err != nil {
		return Project{}, err
	}
	var id string
	switch {
	case p.Root == "" && (p.Name == "" || p.Name == ingest.NoProject):
		id, p.Name, p.ShownName = ingest.NoProject, ingest.NoProject, ""
	case p.Root == "":
		id = projectID("name:" + p.Name)
	default:
		id = projectID(p.Root)
	}
	if reg.another(p) {
		id = projectID(p.Root + "\x00" + p.Birth)
	}
	if have := reg.match(id, p); have != nil && have.knows(p) {
		return *have, nil
	}
	err = l.changeRegistry(func(r *registry) error {
		have := r.match(id, p)
		if have == nil {
			r.Projects = append(r.Projects, Project{ID: id, Base: cmp.Or(p.ShownName, p.Name), Root: p.Root})
			have = &r.Projects[len(r.Projects)-1]
		}
		have.learn(p)
		return nil
	})
	if err == nil {
		err = l.settleAfter(reg)
	}
	if err != nil {
		return Project{}, fmt.Errorf("project %s: %w", p.Name, err)
	}
	if reg, err = l.readRegistry(); err != nil {
		return Project{}, err
	}
	return *reg.match(id, p), nil
}

// another reports whether a repository stands in a place that a known one has left:
// it is no part of that.
func (r *registry) another(p ingest.Project) bool {
	have := r.at(p.Root)
	return have != nil && have.Root != p.Root && p.Was == "" && (p.How == "repository" || p.How == "worktree") &&
		!slices.Contains(have.Merged, p.Root) && p.Birth != "" && have.Birth != p.Birth
}

func (r *registry) match(id string, p ingest.Project) *Project {
	if r.another(p) {
		return r.find(id)
	}
	if have := r.at(p.Root); have != nil {
		return have
	}
	if have := r.at(p.Was); have != nil {
		return have
	}
	return r.find(id)
}

// knows reports whether there is nothing to learn from p.
func (p *Project) knows(q ingest.Project) bool {
	return !p.hides(q) && (q.Was == "" || p.Root == q.Root) &&
		(q.Root != p.Root || ((q.Remote == "" || p.Remote == q.Remote) && (q.Birth == "" || p.Birth == q.Birth)))
}

func (p *Project) learn(q ingest.Project) {
	p.hide(q)
	if q.Was != "" && p.Root == q.Was && q.Root != "" {
		p.Former = slices.DeleteFunc(union(p.Former, []string{p.Root}), func(s string) bool { return s == q.Root })
		p.Root = q.Root
	}
	if q.Root == p.Root {
		p.Remote, p.Birth = cmp.Or(q.Remote, p.Remote), cmp.Or(q.Birth, p.Birth)
	}
}

// hides reports whether q tells of a secret in a name of p that p still shows.
func (p *Project) hides(q ingest.Project) bool {
	return q.ShownName != "" && p.Base == q.Name ||
		q.ShownRoot != "" && safer(q.ShownRoot, p.Show(q.Root)) != p.Show(q.Root)
}

func (p *Project) hide(q ingest.Project) {
	if q.ShownName != "" && p.Base == q.Name {
		p.Base = q.ShownName
	}
	if q.ShownRoot != "" {
		p.showAs(q.Root, q.ShownRoot)
	}
}

func (p *Project) showAs(dir, as string) {
	as = safer(as, p.Show(dir))
	p.Shown = slices.DeleteFunc(slices.Clone(p.Shown), func(s shown) bool { return s.Dir == dir })
	p.Shown = append(p.Shown, shown{dir, as})
	slices.SortFunc(p.Shown, func(a, b shown) int { return strings.Compare(a.Dir, b.Dir) })
}

// safer is the one of two forms of a text that hides more, the lesser of equals:
// what one session knows to be a secret is a bare word to another.
func safer(a, b string) string {
	if n, m := strings.Count(a, "‹"), strings.Count(b, "‹"); n != m {
		if n > m {
			return a
		}
		return b
	}
	return min(a, b)
}

// Roots is the registry as ingest.ProjectOf takes it.
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

// settleAfter moves sessions if a new project took the bare name from one that
// had it.
func (l *Library) settleAfter(before *registry) error {
	now, err := l.readRegistry()
	if err != nil {
		return err
	}
	for _, p := range before.Projects {
		if q := now.find(p.ID); q != nil && q.Folder != p.Folder {
			return l.Settle()
		}
	}
	return nil
}

// Projects lists the registry by name.
func (l *Library) Projects() ([]Project, error) {
	reg, err := l.readRegistry()
	if err != nil {
		return nil, err
	}
	all := reg.clone().Projects
	slices.SortFunc(all, func(a,
		b Project) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return all, nil
}

// Project finds a project by id, name, folder or root. The error is
// ErrNoProject.
func (l *Library) Project(name string) (Project, error) {
	reg, err := l.readRegistry()
	if err != nil {
		return Project{}, err
	}
	if p, ok := reg.resolve(name); ok {
		return p, nil
	}
	if p := reg.at(name); p != nil {
		return *p, nil
	}
	for _, p := range reg.Projects {
		if strings.EqualFold(p.Name, name) || strings.EqualFold(p.Folder, name) {
			return p, nil
		}
	}
	return Project{}, fmt.Errorf("%q: %w", name, ErrNoProject)
}

// RenameProject gives a project a name for good and moves its sessions.
func (l *Library) RenameProject(id, name string) error {
	if safeName(name, maxFolder) == "" {
		return fmt.Errorf("rename project: %q is no name for a folder", name)
	}
	err := l.changeRegistry(func(r *registry) error {
		p := r.find(id)
		if p == nil {
			return fmt.Errorf("%q: %w", id, ErrNoProject)
		}
		for _, o := range r.Projects {
			if o.ID != p.ID && strings.EqualFold(o.Name, name) {
				return fmt.Errorf("rename project: there is a project %q already; merge them or take another name",
					o.Name)
			}
		}
		p.Name, p.Named = name, true
		return nil
	})
	if err != nil {
		return err
	}
	return l.Settle()
}

// MergeProjects makes one project part of another: its roots and sessions.
func (l *Library) MergeProjects(from, into string) error {
	err := l.changeRegistry(func(r *registry) error {
		a, b := r.find(from), r.find(into)
		if a == nil || b == nil {
			return fmt.Errorf("merge %q into %q: %w", from, into, ErrNoProject)
		}
		if a == b {
			return fmt.Errorf("merge project %q: into itself", b.Name)
		}
		b.Former = union(b.Former, a.Former)
		b.Merged = union(b.Merged, a.Merged)
		if a.Root != "" {
			b.Merged = union(b.Merged, []string{a.Root})
		}
		b.Ids = union(b.Ids, append(slices.Clone(a.Ids), a.ID))
		for _, s := range a.Shown {
			b.showAs(s.Dir, s.As)
		}
		gone := a.ID
		r.Projects = slices.DeleteFunc(r.Projects, func(p Project) bool { return p.ID == gone })
		return nil
	})
	if err != nil {
		return err
	}
	return l.Settle()
}

func union(a, b []string) []string {
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	return slices.Compact(all)
}
