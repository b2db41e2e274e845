// Package registry knows the projects: their names, folders and roots. It does no I/O.
package registry

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recall/ingest"
	"recall/library/disk"
)

// ErrNoProject means that no project has that id or name.
var ErrNoProject = errors.New("no such project")

// MaxFolder is the maximum number of characters in a folder's name.
const MaxFolder = 80

// A Registry is the content of projects.toml.
type Registry struct {
	Projects []Project `toml:"project"` // by id
}

// A Project is an entry of projects.toml. Two projects whose roots have the same name are told apart by the folder
// above, as in "app (play)"; the first by root keeps the plain name, whichever arrived first.
//
// A folder's name may hold a secret. A session's project is found by exact folders, so Root, Former and Merged are as
// raw as a transcript and may be shown only through Show. Name, Base and Folder hold no secret; nothing derived uses
// any other name.
type Project struct {
	ID     string   `toml:"id"`               // made from the root or name it was first seen with
	Name   string   `toml:"name"`             // shown
	Base   string   `toml:"base"`             // from its root, without a suffix
	Folder string   `toml:"folder"`           // in the library
	Named  bool     `toml:"named,omitempty"`  // a person chose the name, so it stays
	Root   string   `toml:"root"`             // its folder where last seen; "" for a space
	Former []string `toml:"former,omitempty"` // where it was before
	Merged []string `toml:"merged,omitempty"` // folders that a person declared to be the same project
	Ids    []string `toml:"ids,omitempty"`    // of the projects merged into it
	Remote string   `toml:"remote,omitempty"` // as in ingest.Project
	Birth  string   `toml:"birth,omitempty"`
	Shown  []Shown  `toml:"shown,omitempty"` // folders whose names hold a secret
}

// Shown says how to show a folder.
type Shown struct {
	Dir string `toml:"dir"` // exact
	As  string `toml:"as"`
}

// Show returns a folder of the project as it may be shown.
func (p *Project) Show(dir string) string {
	for _, s := range p.Shown {
		if s.Dir == dir {
			return s.As
		}
	}
	return dir
}

// Roots returns all folders of the project, also as they may be shown, because derived texts name files below those.
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

// isNew reports whether p is a different repository in a place that a known project has left.
func (r *Registry) isNew(p ingest.Project) bool {
	have := r.At(p.Root)
	return have != nil && have.Root != p.Root && p.Was == "" && (p.How == "repository" || p.How == "worktree") &&
		!slices.Contains(have.Merged, p.Root) && p.Birth != "" && have.Birth != p.Birth
}

// Match returns the known project that p, found by parsing, refers to; nil if none. id is what p's id would be.
func (r *Registry) Match(id string, p ingest.Project) *Project {
	if r.isNew(p) {
		return r.Find(id)
	}
	if have := r.At(p.Root); have != nil {
		return have
	}
	if have := r.At(p.Was); have != nil {
		return have
	}
	return r.Find(id)
}

// Learn updates a project with what parsing found out.
func (p *Project) Learn(q ingest.Project) {
	if q.ShownName != "" && p.Base == q.Name {
		p.Base = q.ShownName
	}
	if q.ShownRoot != "" {
		p.showAs(q.Root, q.ShownRoot)
	}
	if q.Was != "" && p.Root == q.Was && q.Root != "" {
		p.Former = slices.DeleteFunc(union(p.Former, []string{p.Root}), func(s string) bool { return s == q.Root })
		p.Root = q.Root
	}
	if q.Root == p.Root {
		p.Remote, p.Birth = cmp.Or(q.Remote, p.Remote), cmp.Or(q.Birth, p.Birth)
	}
}

func (p *Project) showAs(dir, as string) {
	as = safer(as, p.Show(dir))
	p.Shown = slices.DeleteFunc(slices.Clone(p.Shown), func(s Shown) bool { return s.Dir == dir })
	p.Shown = append(p.Shown, Shown{dir, as})
	slices.SortFunc(p.Shown, func(a, b Shown) int { return strings.Compare(a.Dir, b.Dir) })
}

// safer returns the form of a text that hides more, or else the smaller one: a known secret of one session is an
// ordinary word to another.
func safer(a, b string) string {
	if n, m := strings.Count(a, "‹"), strings.Count(b, "‹"); n != m {
		if n > m {
			return a
		}
		return b
	}
	return min(a, b)
}

// Clone copies what a change may modify.
func (r *Registry) Clone() *Registry {
	c := &Registry{Projects: slices.Clone(r.Projects)}
	for i := range c.Projects {
		p := &c.Projects[i]
		p.Former, p.Merged, p.Ids, p.Shown = slices.Clone(p.Former), slices.Clone(p.Merged), slices.Clone(p.Ids),
			slices.Clone(p.Shown)
	}
	return c
}

// Find returns the project with an id, including merged ids; nil if there is none.
func (r *Registry) Find(id string) *Project {
	for i := range r.Projects {
		if p := &r.Projects[i]; id != "" && (p.ID == id || slices.Contains(p.Ids, id)) {
			return p
		}
	}
	return nil
}

// At returns the project whose folder is root, else one that root was merged into or that was there before, else nil.
func (r *Registry) At(root string) *Project {
	if root == "" {
		return nil
	}
	is := func(dir string) bool { return ingest.SameDir(root, dir) }
	var former *Project
	for i := range r.Projects {
		p := &r.Projects[i]
		if is(p.Root) {
			return p
		}
		if slices.ContainsFunc(p.Merged, is) || (former == nil && slices.ContainsFunc(p.Former, is)) {
			former = p
		}
	}
	return former
}

// Arrange sorts the projects and gives each a unique name and folder, independent of the order in which they arrived.
func (r *Registry) Arrange() {
	slices.SortFunc(r.Projects, func(a, b Project) int { return strings.Compare(a.ID, b.ID) })
	byRoot := make([]*Project, len(r.Projects))
	for i := range r.Projects {
		byRoot[i] = &r.Projects[i]
	}
	slices.SortStableFunc(byRoot, func(a, b *Project) int {
		if a.Named != b.Named {
			return map[bool]int{true: -1, false: 1}[a.Named]
		}
		return cmp.Or(strings.Compare(a.Root, b.Root), strings.Compare(a.ID, b.ID))
	})
	taken := map[string]bool{"unsorted": true, "cache": true, "inbox": true, "readme.md": true, "library.toml": true,
		"projects.toml": true, "tombstones.jsonl": true, "threads.jsonl": true, "journal.jsonl": true,
		"usage.jsonl": true}
	for _, p := range byRoot {
		name := p.Base
		if p.Named {
			name = p.Name
		}
		root := strings.TrimRight(p.Show(p.Root), `/\`)
		above := ingest.LastName(strings.TrimSuffix(root, ingest.LastName(root))) // the folder that contains it
		for _, suffix := range []string{"", above, strings.TrimSpace(above + " " + p.ID[:min(4, len(p.ID))]), p.ID} {
			if p.Name = name; suffix != "" {
				p.Name = name + " (" + suffix + ")"
			}
			if p.Folder = disk.SafeName(p.Name, MaxFolder); p.Folder == "" {
				p.Folder = "project " + p.ID
			}
			if key := strings.ToLower(p.Folder); !taken[key] {
				taken[key] = true
				break
			}
		}
	}
}

// idOf returns the id of a project first seen with this root or name.
func idOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:10]
}

// Unite merges a project of another registry. The result doesn't depend on the order of merging.
func (r *Registry) Unite(p Project) {
	have := r.Find(p.ID)
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

func union(a, b []string) []string {
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	return slices.Compact(all)
}

// IDFor returns the id for a project that is first seen like this.
func (r *Registry) IDFor(p ingest.Project) string {
	switch {
	case r.isNew(p):
		return idOf(p.Root + "\x00" + p.Birth)
	case p.Root != "":
		return idOf(p.Root)
	case p.Name == ingest.NoProject:
		return ingest.NoProject
	}
	return idOf("name:" + p.Name)
}

// Rename gives a project a permanent name.
func (r *Registry) Rename(id, name string) error {
	p := r.Find(id)
	if p == nil {
		return fmt.Errorf("%q: %w", id, ErrNoProject)
	}
	for _, o := range r.Projects {
		if o.ID != p.ID && strings.EqualFold(o.Name, name) {
			return fmt.Errorf("rename project: there is a project %q already; merge them or choose another name", o.Name)
		}
	}
	p.Name, p.Named = name, true
	return nil
}

// Merge makes one project, with its roots and sessions, part of another.
func (r *Registry) Merge(from, into string) error {
	a, b := r.Find(from), r.Find(into)
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
}
