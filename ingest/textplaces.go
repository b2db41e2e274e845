package ingest

import (
	"maps"
	"slices"
	"strings"
)

// The parts of MapText that aren't anybody's words: where a session ran, and the
// names of files, models, tools and servers. They are few and stand often, so
// that each is mapped once.

// MapPath is a path as MapText maps it.
func MapPath(path string, f func(string) string) string {
	mapper{f: f, names: map[string]string{}}.path(&path)
	return path
}

// where maps the places of a session.
func (m mapper) where(w *Where) {
	w.Cwds = slices.Clone(w.Cwds)
	for i := range w.Cwds {
		m.path(&w.Cwds[i].Dir)
	}
	if w.Worktree != nil {
		t := *w.Worktree
		m.path(&t.Path)
		m.path(&t.Original)
		m.path(&t.Name)
		m.path(&t.Branch)
		w.Worktree = &t
	}
	m.path(&w.Relocated)
	w.Folders, w.Branches = each(w.Folders, m.path), each(w.Branches, m.path)
	m.path(&w.Branch)
	m.name(&w.Space)
	m.name(&w.Process)
	m.path(&w.Storage)
}

// name maps a short text of which there are few.
func (m mapper) name(s *string) {
	if *s == "" {
		return
	}
	to, ok := m.names[*s]
	if !ok {
		to = m.tail(m.f(*s))
		m.names[*s] = to
	}
	*s = to
}

// tail maps what stands behind a "_", "-" or "." in a name, where the whole of it
// shows nothing: a rule asks for the beginning of a word, and "mcp__" or "old_"
// before a secret isn't one.
func (m mapper) tail(name string) string {
	for i := range len(name) - 1 {
		if strings.IndexByte("_-.", name[i]) < 0 {
			continue
		}
		if to := m.f(name[i+1:]); to != name[i+1:] {
			return name[:i+1] + to
		}
	}
	return name
}

// path maps a path. Each name in it is looked at by itself as well: what is a
// secret at the end of a text may not be told as one before a "/".
func (m mapper) path(s *string) {
	if *s == "" {
		return
	}
	to, ok := m.names[*s]
	if !ok {
		to = m.parts(*s)
		m.text(&to)
		m.names[*s] = to
	}
	*s = to
}

func (m mapper) parts(path string) string {
	if !strings.ContainsAny(path, `/\`) {
		m.name(&path)
		return path
	}
	var b strings.Builder
	for len(path) > 0 {
		end := strings.IndexAny(path, `/\`)
		if end < 0 {
			end = len(path)
		}
		part := path[:end]
		m.name(&part)
		b.WriteString(part)
		if end < len(path) {
			b.WriteByte(path[end])
			end++
		}
		path = path[end:]
	}
	return b.String()
}

// each maps a list, which itself stays as it is.
func each(list []string, f func(*string)) []string {
	list = slices.Clone(list)
	for i := range list {
		f(&list[i])
	}
	return list
}

func (m mapper) files(refs []FileRef) {
	for i := range refs {
		m.path(&refs[i].Name)
		m.path(&refs[i].Path)
	}
}

// report maps what a parser says of lines that it didn't understand: it quotes
// them.
func (m mapper) report(r *Report) {
	for _, counts := range []map[string]int{r.Ignored, r.Unknown} {
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			shown := name
			if m.name(&shown); shown != name {
				n := counts[name]
				delete(counts, name)
				counts[shown] += n
			}
		}
	}
	for i := range r.Skipped {
		m.skip(&r.Skipped[i])
	}
	if r.Tail != nil {
		m.skip(r.Tail)
	}
	m.name(&r.Newer)
	for i := range r.Conflicts {
		m.text(&r.Conflicts[i])
	}
}

func (m mapper) skip(s *Skip) {
	m.path(&s.File)
	m.name(&s.Reason)
}
