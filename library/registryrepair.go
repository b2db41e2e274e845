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

// LostProjects says what is wrong with projects.toml, by its seal and by what the
// sessions say; "" if nothing is. text is its content, err why that can't be read.
func (l Inside) LostProjects(text []byte, err error, sealed bool, entries []Entry) string {
	reg := &registry{}
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err.Error()
	case err == nil && sealed && disk.SealOfTOML(text) != disk.SealGood:
		return "not what its last line says was written; if you edited it, recall repair takes it as it is"
	case toml.Unmarshal(text, reg) != nil:
		return "no TOML"
	case len(reg.homeless(entries)) == 0:
		return ""
	}
	// Sessions may have been forgotten, and their projects with them, since they were
	// listed.
	l.forget()
	entries, bad := l.Shelved()
	n := len(reg.homeless(entries))
	switch {
	case bad != nil || n == 0:
		return ""
	case err != nil:
		return "it is gone"
	}
	return fmt.Sprintf("it lacks the projects of %d of the sessions", n)
}

// MendProjects takes projects.toml as it reads, with the ids that its sessions know
// its projects by. One that can't be read is put aside. Projects that are in it
// no more are entered again by distilling their sessions, those of again.
func (l Inside) MendProjects() (how string, again []Entry, err error) {
	unlock, err := l.lock("folders")
	if err != nil {
		return "", nil, err
	}
	defer unlock()
	all, err := l.Shelved()
	if err != nil {
		return "", nil, err
	}
	path := filepath.Join(l.dir, "projects.toml")
	text, err := disk.ReadPlain(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", nil, err
	}
	gone, reg := err != nil, &registry{}
	if toml.Unmarshal(text, reg) != nil {
		aside := l.freeName(l.dir, "projects.toml.damaged")
		return "put aside as " + filepath.Base(aside) + "; the projects are entered again, names given by hand are lost",
			all, errors.Join(disk.Rename(path, aside), disk.SyncDir(l.dir))
	}
	reg.reclaim(all)
	if err := l.putRegistry(reg); err != nil {
		return "", nil, err
	}
	again = reg.homeless(all)
	switch {
	case gone:
		how = "the projects are entered again, names given by hand are lost"
	case len(again) > 0:
		how = fmt.Sprintf("taken as it reads now; the projects of %d sessions are entered again", len(again))
	default:
		how = "taken as it reads now"
	}
	return how, again, nil
}
