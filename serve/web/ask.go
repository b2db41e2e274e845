package web

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"recall/answer"
	"recall/index"
	"recall/library"
	"recall/payload"
)

// mostAnswers is the number of results on a page of answers.
const mostAnswers = 12

// askView is a question, its filters, and its answer.
type askView struct {
	Question string
	filters
	Answer *answer.Answer // nil: nothing was asked
	Home   *home          // then
}

// filters are what a page can be narrowed by, from its address.
type filters struct {
	Project  string
	Projects []string // to choose from
	Kinds    []payload.Kind
	Since    string // days, "2026-11-22"
	AsOf     string
	Archived bool
	First    string // the day of the first session, "" without one
	Today    string

	since, asOf time.Time
	catalog     *library.Catalog
}

// filter reads the filters of a page.
func filter(r *http.Request, m *Memory) (f filters, err error) {
	q := r.URL.Query()
	f = filters{Project: q.Get("project"), Since: q.Get("since"), AsOf: q.Get("asof"), Archived: q.Has("archived"),
		Today: time.Now().Format(time.DateOnly)}
	for _, k := range q["kind"] {
		if kind := payload.Kind(k); slices.Contains(payload.Kinds, kind) {
			f.Kinds = append(f.Kinds, kind)
		}
	}
	if f.since, err = day(f.Since); err == nil {
		f.asOf, err = day(f.AsOf)
	}
	if err != nil {
		return f, err
	}
	if f.AsOf != "" {
		f.asOf = f.asOf.AddDate(0, 0, 1) // the end of that day
	}
	if f.catalog, err = m.Library.Catalog(); err != nil {
		return f, err
	}
	timed := func(e library.Entry) bool { return !e.Start.IsZero() }
	if i := slices.IndexFunc(f.catalog.Entries, timed); i >= 0 {
		f.First = f.catalog.Entries[i].Start.Local().Format(time.DateOnly)
	}
	projects, err := m.Library.Projects()
	for _, p := range projects {
		f.Projects = append(f.Projects, p.Name)
	}
	slices.SortFunc(f.Projects, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a), strings.ToLower(b)), cmp.Compare(a, b))
	})
	if f.Project != "" && !slices.Contains(f.Projects, f.Project) {
		return f, fmt.Errorf("project %q: %w", f.Project, errNone)
	}
	return f, err
}

// day parses a date as a browser sends it, in local time; zero for none.
func day(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	t, err := time.ParseInLocation(time.DateOnly, s, time.Local)
	if err != nil {
		return t, fmt.Errorf("%q is not a day like 2026-11-22: %w", s, errBad)
	}
	return t, nil
}

func (s *Server) ask(r *http.Request, m *Memory) (any, error) {
	f, err := filter(r, m)
	if err != nil {
		return nil, err
	}
	v := askView{Question: strings.TrimSpace(r.URL.Query().Get("q")), filters: f}
	if v.Question == "" {
		v.Home, err = s.atHome(r.Context(), m, f)
		return v, err
	}
	q := index.Query{Text: v.Question, Project: f.Project, Kinds: f.Kinds, Since: f.since, AsOf: f.asOf,
		Archived: f.Archived, Limit: mostAnswers}
	a, err := m.Ask(r.Context(), answer.Question{Query: q, Most: mostAnswers})
	v.Answer = &a
	return v, err
}
