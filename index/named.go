package index

import (
	"context"
	"slices"
	"strings"

	"recall/internal/text"
	"recall/payload"
)

// A result from a project that the question names scores as much more as a whole first result does; it doesn't exclude
// others, since a name may be an ordinary word. From the project that a question is asked from, if it names no other, a
// fifth: with eight projects in one library that recovers half of what the others cost.
const (
	namedBoost = 1.0
	hereBoost  = 0.2
)

// named lists the projects whose names occur in the question as rare words, if there are several projects.
func (r *reader) named(ctx context.Context, ts []term) ([]string, error) {
	if r.q.Project != "" || len(ts) == 0 {
		return nil, nil
	}
	projects, err := r.projects(ctx)
	if err != nil || len(projects) < 2 {
		return nil, err
	}
	text := strings.ToLower(text.HeadMarked(r.q.Text, maxQuestion))
	return slices.DeleteFunc(slices.Clone(projects), func(name string) bool {
		return payload.ProjectIn(text, name) == "" || !r.rareName(name, ts)
	}), nil
}

// projects lists all projects.
func (r *reader) projects(ctx context.Context) ([]string, error) {
	if r.known == nil {
		known, err := column[string](ctx, r.tx, `SELECT DISTINCT project FROM session ORDER BY project`)
		if err != nil {
			return nil, err
		}
		r.known = known
	}
	return r.known, nil
}

// rareName reports whether a name in the question consists of words, one of them rare.
func (r *reader) rareName(name string, ts []term) bool {
	return slices.ContainsFunc(ts, func(t term) bool {
		return nameHasTerm(name, t) && t.df <= max(fewDocs, r.size/20)
	})
}

func nameHasTerm(name string, t term) bool {
	return slices.ContainsFunc(text.Content(name+" "+payload.ProjectHandle(name)), func(w string) bool {
		return text.Stem(w) == t.stem
	})
}

// withoutNames drops the words of projects' names: they name where to look.
func withoutNames(ts []term, names []string) []term {
	return less(ts, func(t term) bool {
		return slices.ContainsFunc(names, func(name string) bool { return nameHasTerm(name, t) })
	})
}

// boost is what a result of a project gains because the question names it or is asked from it.
func (r *reader) boost(project string) float64 {
	switch {
	case slices.Contains(r.names, project):
		return namedBoost
	case len(r.names) == 0 && r.q.Project == "" && r.q.Here == project && project != "":
		return hereBoost
	}
	return 0
}
