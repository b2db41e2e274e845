package library

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/pelletier/go-toml/v2"

	"recall/ingest"
	"recall/library/disk"
)

// homeless lists the sessions whose project isn't in projects.toml. They can't
// be distilled again until somebody enters it.
func (r *registry) homeless(entries []Entry) []Entry {
	var out []Entry
	for _, e := range entries {
		if e.Project != "" && r.find(e.Project) == nil {
			out = append(out, e)
		}
	}
	return out
}

// projects checks projects.toml by its seal, and by what the sessions say.
func (c *checking) projects(format int, entries []Entry) {
	const name = "projects.toml"
	text, err := c.read(filepath.Join(c.l.dir, name))
	what, reg := "", &registry{}
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		what = err.Error()
	case err == nil && format >= 2 && disk.SealOfTOML(text) != disk.SealGood:
		what = "not what its last line says was written; if you edited it, recall repair takes it as it is"
	case toml.Unmarshal(text, reg) != nil:
		what = "no TOML"
	default:
		what = c.missingProjects(reg, entries, err != nil)
	}
	if what != "" {
		c.found(Finding{Path: name, State: Damaged, What: what, Mend: MendRender})
	}
}

// missingProjects says what projects.toml lacks. Sessions may have been
// forgotten, and their projects with them, since they were listed: they are
// listed again before anything is said.
func (c *checking) missingProjects(reg *registry, entries []Entry, gone bool) string {
	if len(reg.homeless(entries)) == 0 {
		return ""
	}
	c.l.forget()
	entries, err := c.l.Shelved()
	if err != nil {
		return ""
	}
	n := len(reg.homeless(entries))
	switch {
	case n == 0:
		return ""
	case gone:
		return "it is gone"
	}
	return fmt.Sprintf("it lacks the projects of %d of the sessions", n)
}

// projects takes projects.toml as it reads, with the ids that its sessions know
// its projects by. One that can't be read is put aside. Projects that are in it
// no more are entered again by distilling their sessions.
func (r *repairing) projects(path string) (string, error) {
	unlock, err := r.l.lock("folders")
	if err != nil {
		return "", err
	}
	defer unlock()
	all, err := r.l.Shelved()
	if err != nil {
		return "", err
	}
	text, err := disk.ReadPlain(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	gone, reg := err != nil, &registry{}
	if toml.Unmarshal(text, reg) != nil {
		aside := r.l.freeName(r.l.dir, "projects.toml.damaged")
		if err := errors.Join(disk.Rename(path, aside), disk.SyncDir(r.l.dir)); err != nil {
			return "", err
		}
		r.enterAgain(all)
		return "put aside as " + filepath.Base(aside) +
			"; the projects are entered again, names given by hand are lost", nil
	}
	reg.reclaim(all)
	if text, err = toml.Marshal(reg); err != nil {
		return "", err
	}
	if err := errors.Join(r.l.put(path, disk.SealTOML(text)), disk.SyncDir(r.l.dir)); err != nil {
		return "", err
	}
	r.l.mu.Lock()
	r.l.registry = nil
	r.l.mu.Unlock()
	missing := reg.homeless(all)
	r.enterAgain(missing)
	switch {
	case gone:
		return "the projects are entered again, names given by hand are lost", nil
	case len(missing) > 0:
		return fmt.Sprintf("taken as it reads now; the projects of %d sessions are entered again", len(missing)), nil
	}
	return "taken as it reads now", nil
}

// reclaim gives projects that no session knows by their id the id that their
// root, or name, would have given them, if there are sessions of that id.
func (r *registry) reclaim(entries []Entry) {
	lost, used := map[string]bool{}, map[string]bool{}
	for _, e := range entries {
		used[e.Project] = true
	}
	for _, e := range r.homeless(entries) {
		lost[e.Project] = true
	}
	for i := range r.Projects {
		p := &r.Projects[i]
		if used[p.ID] || slices.ContainsFunc(p.Ids, func(id string) bool { return used[id] }) {
			continue
		}
		ids := []string{projectID("name:" + p.Base)}
		if p.Base == ingest.NoProject {
			ids = append(ids, ingest.NoProject)
		}
		for _, root := range append([]string{p.Root}, p.Former...) {
			ids = append(ids, projectID(root))
		}
		for _, id := range ids {
			if lost[id] {
				p.ID = id
				delete(lost, id)
				break
			}
		}
	}
}

// enterAgain has sessions distilled, which enters their projects.
func (r *repairing) enterAgain(entries []Entry) {
	for _, e := range entries {
		r.render[e.ID] = true
	}
}
