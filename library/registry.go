package library

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"recall/library/disk"
)

// registry is the content of projects.toml.
type registry struct {
	Projects []Project `toml:"project"` // by id
}

func (l *Library) readRegistry() (*registry, error) {
	path := filepath.Join(l.dir, "projects.toml")
	fi, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &registry{}, nil
	}
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.registry != nil && l.regStamp == stampOf(fi) {
		return l.registry, nil
	}
	text, err := disk.ReadPlain(path)
	if err != nil {
		return nil, err
	}
	reg := &registry{}
	if err := toml.Unmarshal(text, reg); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	l.registry, l.regStamp = reg, stampOf(fi)
	return reg, nil
}

// changeRegistry reads, changes and writes projects.toml under its lock.
func (l *Library) changeRegistry(change func(*registry) error) error {
	unlock, err := l.lock("folders")
	if err != nil {
		return err
	}
	defer unlock()
	l.mu.Lock()
	l.registry = nil
	l.mu.Unlock()
	old, err := l.readRegistry()
	if err != nil {
		return err
	}
	reg := old.clone()
	if err := change(reg); err != nil {
		return err
	}
	reg.arrange()
	return l.putRegistry(reg)
}

// putRegistry writes projects.toml unless it says that already. The caller holds the
// lock of folders.
func (l *Library) putRegistry(reg *registry) error {
	text, err := toml.Marshal(reg)
	if err != nil {
		return err
	}
	text = disk.SealTOML(text)
	path := filepath.Join(l.dir, "projects.toml")
	if same(path, text) {
		return nil
	}
	err = l.put(path, text)
	l.mu.Lock()
	l.registry = nil
	l.mu.Unlock()
	return errors.Join(err, disk.SyncDir(l.dir))
}

func (r *registry) clone() *registry {
	c := &registry{Projects: slices.Clone(r.Projects)}
	for i := range c.Projects {
		p := &c.Projects[i]
		p.Former, p.Merged, p.Ids, p.Shown = slices.Clone(p.Former), slices.Clone(p.Merged), slices.Clone(p.Ids),
			slices.Clone(p.Shown)
	}
	return c
}

// find is the project with an id, merged ones included; nil if there is none.
func (r *registry) find(id string) *Project {
	for i := range r.Projects {
		if p := &r.Projects[i]; id != "" && (p.ID == id || slices.Contains(p.Ids, id)) {
			return p
		}
	}
	return nil
}

func (r *registry) resolve(id string) (Project, bool) {
	if p := r.find(id); p != nil {
		return *p, true
	}
	return Project{}, false
}

// at is the project whose folder is root, else one that root was merged into
// or that once was there; nil if there is none.
func (r *registry) at(root string) *Project {
	if root == "" {
		return nil
	}
	var former *Project
	for i := range r.Projects {
		p := &r.Projects[i]
		if p.Root == root {
			return p
		}
		if slices.Contains(p.Merged, root) || (former == nil && slices.Contains(p.Former, root)) {
			former = p
		}
	}
	return former
}

// arrange sorts the projects and gives each a name and a folder of its own.
// It depends on the set of projects alone, not on the order they came in.
func (r *registry) arrange() {
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
			if p.Folder = safeName(p.Name, maxFolder); p.Folder == "" {
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

func projectID(key string) string {
	sum := sha256.Sum256([]byte(key))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:10]
}

// UniteProjects takes in the projects of another library. The error is ErrDamaged
// where they can't be read there.
func (l Inside) UniteProjects(from Inside) error {
	theirs, err := from.readRegistry()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if len(theirs.Projects) == 0 {
		return nil
	}
	return l.changeRegistry(func(r *registry) error {
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
