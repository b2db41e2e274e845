// Package registry is which projects there are: names, folders, and the roots that each goes by. It reads and writes
// nothing.
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

// ErrNoProject: no project of that id or name.
var ErrNoProject = errors.New("no such project")

// MaxFolder is how many characters the name of a folder may have.
const MaxFolder = 80

// A Registry is the content of projects.toml.
type Registry struct {
	Projects []Project `toml:"project"` // by id
}

// A Project is an entry of projects.toml. Two whose roots have the same name are told apart by the folder above, "app
// (play)"; the first by root keeps the bare name, whichever arrived first.
//
// A folder's name may hold a secret. Which project a session is of is told by exact folders: Root, Former and Merged
// are as raw as a transcript, to be shown by Show alone. Name, Base and Folder hold no secret; nothing derived says any
// other.
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
	Shown  []Shown  `toml:"shown,omitempty"` // folders whose names hold a secret
}

// Shown says how a folder is shown.
type Shown struct {
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

// Roots are all folders that the project goes by, also as they may be shown: what is derived names files below those.
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

// another reports whether a repository stands in a place that a known one has left: it is no part of that.
func (r *Registry) another(p ingest.Project) bool {
	have := r.At(p.Root)
	return have != nil && have.Root != p.Root && p.Was == "" && (p.How == "repository" || p.How == "worktree") &&
		!slices.Contains(have.Merged, p.Root) && p.Birth != "" && have.Birth != p.Birth
}

// Match is the known project that one, as parsing tells it, is, whose id would be id; nil if none.
func (r *Registry) Match(id string, p ingest.Project) *Project {
	if r.another(p) {
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

// Learn takes over what parsing tells of a project.
func (p *Project) Learn(q ingest.Project) {
	p.hide(q)
	if q.Was != "" && p.Root == q.Was && q.Root != "" {
		p.Former = slices.DeleteFunc(union(p.Former, []string{p.Root}), func(s string) bool { return s == q.Root })
		p.Root = q.Root
	}
	if q.Root == p.Root {
		p.Remote, p.Birth = cmp.Or(q.Remote, p.Remote), cmp.Or(q.Birth, p.Birth)
	}
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
	p.Shown = slices.DeleteFunc(slices.Clone(p.Shown), func(s Shown) bool { return s.Dir == dir })
	p.Shown = append(p.Shown, Shown{dir, as})
	slices.SortFunc(p.Shown, func(a, b Shown) int { return strings.Compare(a.Dir, b.Dir) })
}

// safer is the form of a text that hides more, the lesser of equals: one session's known secret is a bare word to
// another.
func safer(a, b string) string {
	if n, m := strings.Count(a, "‹"), strings.Count(b, "‹"); n != m {
		if n > m {
			return a
		}
		return b
	}
	return min(a, b)
}

// Clone copies what a change may write to.
func (r *Registry) Clone() *Registry {
	c := &Registry{Projects: slices.Clone(r.Projects)}
	for i := range c.Projects {
		p := &c.Projects[i]
		p.Former, p.Merged, p.Ids, p.Shown = slices.Clone(p.Former), slices.Clone(p.Merged), slices.Clone(p.Ids),
			slices.Clone(p.Shown)
	}
	return c
}

// Find is the project with an id, merged ones included; nil if there is none.
func (r *Registry) Find(id string) *Project {
	for i := range r.Projects {
		if p := &r.Projects[i]; id != "" && (p.ID == id || slices.Contains(p.Ids, id)) {
			return p
		}
	}
	return nil
}

// At is the project whose folder is root, else one that root was merged into or that once was there, else nil.
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

// Arrange sorts the projects and gives each a name and a folder of its own, by the set alone, in whatever order they
// came.
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
		above := folderAbove(p.Show(p.Root))
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

// lastPart is the last name of a path of any system.
func lastPart(path string) string {
	path = strings.TrimRight(strings.ReplaceAll(path, `\`, "/"), "/")
	return path[strings.LastIndexByte(path, '/')+1:]
}

// folderAbove is the name of the folder that a root lies in, "" of none.
func folderAbove(root string) string {
	return lastPart(strings.TrimSuffix(strings.TrimRight(root, `/\`), lastPart(root)))
}

// idOf is the id of a project that is first seen with a root, or name.
func idOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:10]
}

// Unite takes in a project of another registry. What depends on an order is told from the texts: any order gives the
// same.
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

// Reclaim lets rootless projects be found by the id that their name gave them, where sessions know that and no project
// has it.
func (r *Registry) Reclaim(ids []string) {
	for i := range r.Projects {
		p := &r.Projects[i]
		id := idOf("name:" + p.Base)
		if p.Base == ingest.NoProject {
			id = ingest.NoProject
		}
		if p.Root == "" && !slices.Contains(ids, p.ID) && slices.Contains(ids, id) && r.Find(id) == nil {
			p.ID = id
		}
	}
}

func union(a, b []string) []string {
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	return slices.Compact(all)
}

// IDFor is the id that a project gets that is first seen as parsing tells it.
func (r *Registry) IDFor(p ingest.Project) string {
	switch {
	case r.another(p):
		return idOf(p.Root + "\x00" + p.Birth)
	case p.Root != "":
		return idOf(p.Root)
	case p.Name == ingest.NoProject:
		return ingest.NoProject
	}
	return idOf("name:" + p.Name)
}

// Rename gives a project a name for good.
func (r *Registry) Rename(id, name string) error {
	p := r.Find(id)
	if p == nil {
		return fmt.Errorf("%q: %w", id, ErrNoProject)
	}
	for _, o := range r.Projects {
		if o.ID != p.ID && strings.EqualFold(o.Name, name) {
			return fmt.Errorf("rename project: there is a project %q already; merge them or take another name", o.Name)
		}
	}
	p.Name, p.Named = name, true
	return nil
}

// Merge makes one project part of another: its roots and sessions.
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
