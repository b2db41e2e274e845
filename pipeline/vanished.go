package pipeline

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
)

// scanned is what was looked at in the sources' own places.
type scanned struct {
	roots []string
	found map[ingest.SessionID]ingest.Found
	paths map[string]bool
}

func (s *scanned) add(root string, found []ingest.Found) {
	if s.paths == nil {
		s.found, s.paths = map[ingest.SessionID]ingest.Found{}, map[string]bool{}
	}
	s.roots = append(s.roots, root)
	if real, err := filepath.EvalSymlinks(root); err == nil && real != root {
		s.roots = append(s.roots, real)
	}
	for _, f := range found {
		s.found[f.ID] = f
		for _, file := range f.Files {
			s.paths[file.Path] = true
		}
	}
}

// under reports whether a path lies in a place that was looked at.
func (s *scanned) under(path string) bool {
	return slices.ContainsFunc(s.roots, func(root string) bool {
		rest, ok := strings.CutPrefix(path, root)
		return ok && rest != "" && rest[0] == filepath.Separator
	})
}

// vanished lists the sessions of which a file was known and isn't found any
// more, but for those that changed anyway. The library looks for itself: a
// place that could not be read says nothing.
func (r *intake) vanished(s scanned, changed []ingest.Found) []ingest.Found {
	for path, f := range r.seen.Files {
		if !s.paths[path] && s.under(path) {
			r.gone[f.Session] = append(r.gone[f.Session], path)
		}
	}
	anyway := map[ingest.SessionID]bool{}
	for _, f := range changed {
		anyway[f.ID] = true
	}
	var all []ingest.Found
	for id := range r.gone {
		if !anyway[id] {
			f := s.found[id] // or nothing
			f.ID = id
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b ingest.Found) int { return cmp.Compare(a.ID, b.ID) })
	return all
}
