package pipeline

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
)

// vanished lists the sessions with a known file below the searched roots that wasn't found any more, except those
// that changed anyway. The library checks for itself: that a place couldn't be read proves nothing.
func (r *run) vanished(roots []string, found, changed []ingest.Found) (all []ingest.Found) {
	there, of, anyway := map[string]bool{}, map[ingest.SessionID]ingest.Found{}, map[ingest.SessionID]bool{}
	for _, f := range found {
		of[f.ID] = f
		for _, file := range f.Files {
			there[file.Path] = true
		}
	}
	for _, f := range changed {
		anyway[f.ID] = true
	}
	for _, root := range slices.Clone(roots) {
		roots = append(roots, RealOf(root))
	}
	for path, f := range r.seen.files {
		if !there[path] && slices.ContainsFunc(roots, func(root string) bool {
			rest, ok := strings.CutPrefix(path, root)
			return ok && rest != "" && rest[0] == filepath.Separator
		}) {
			r.gone[f.Session] = append(r.gone[f.Session], path)
		}
	}
	for id := range r.gone {
		if !anyway[id] {
			f := of[id] // or nothing
			f.ID = id
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b ingest.Found) int { return cmp.Compare(a.ID, b.ID) })
	return all
}
