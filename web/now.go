package web

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"recall/history"
	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

// nowView is where a project stands, and what its next session starts with.
type nowView struct {
	filters
	Payload  *payload.Payload // nil: no session worked there, or on nothing
	Sections []section
	Texts    []variant
}

// A section is a payload's items of one kind.
type section struct {
	Kind  payload.Kind
	Items []nowItem
}

// nowItem is an item, and what was changed since of the files that it speaks of.
type nowItem struct {
	payload.Item
	Since map[string]int // commits by file
}

// A variant is a payload as it is handed on.
type variant struct{ Name, Text string }

// mostAsked is for how many items git is asked what changed since.
const mostAsked = 12

func (s *Server) now(r *http.Request, m *Memory) (any, error) {
	f, err := filter(r, m.Library)
	if err != nil {
		return nil, err
	}
	v := nowView{filters: f}
	if v.Project == "" {
		shelf, err := m.Library.Shelf()
		if err != nil || len(shelf.Entries) == 0 {
			return v, err
		}
		last := slices.MaxFunc(shelf.Entries, func(a, b library.Entry) int { return a.End.Compare(b.End) })
		v.Project = shelf.Of(last).Name
	}
	if v.Payload, err = m.Compose(v.Project); err != nil {
		return nil, err
	}
	asked := 0
	for _, k := range payload.Kinds {
		part := section{Kind: k}
		for _, it := range v.Payload.Items {
			if it.Kind != k || !it.Current() {
				continue
			}
			one := nowItem{Item: it}
			if asked < mostAsked && (k == payload.Decision || k == payload.Eliminated) {
				asked++
				one.Since = history.ChangedSince(r.Context(), m.Library,
					index.Placed{Place: index.Place{Project: v.Project}, Item: it})
			}
			part.Items = append(part.Items, one)
		}
		if len(part.Items) > 0 {
			v.Sections = append(v.Sections, part)
		}
	}
	for _, name := range payload.Variants {
		v.Texts = append(v.Texts, variant{string(name), m.HandOn(v.Payload, string(name))})
	}
	return v, nil
}

// healthView is what models took, how safe everything is, and what recall did last.
type healthView struct {
	Sessions, Projects int
	Distilled, ByModel int
	States             map[library.State]int
	Weeks              []bar // sessions a week
	Took               *history.Took
	By                 string
	Doomed             []pipeline.Doomed
	Unsafe             []ingest.Problem
	Broken             []ingest.Problem
	Last               []library.Fact
	Free               int64
}

// A bar is a number with its share of the greatest.
type bar struct {
	Name    string
	N       int
	Percent int
}

// weeks is how many weeks are shown.
const weeks = 12

func (s *Server) health(r *http.Request, m *Memory) (any, error) {
	shelf, err := m.Library.Shelf()
	if err != nil {
		return nil, err
	}
	doomed, unsafe, found := m.Pipeline.Exposed(r.Context())
	v := healthView{Doomed: doomed, Unsafe: unsafe, Sessions: len(shelf.Entries), Projects: shelf.Projects(),
		States: map[library.State]int{}, By: r.URL.Query().Get("by"),
		Broken: m.Library.Broken(), Free: library.Free(m.Library.Dir())}
	project := map[string]string{}
	byWeek := make([]int, weeks)
	for _, e := range shelf.Entries {
		project[string(e.ID)] = shelf.Of(e).Name
		state, _ := e.State(found)
		v.States[state]++
		if e.Distilled != nil {
			v.Distilled++
			if e.Distilled.Model.Name != "" {
				v.ByModel++
			}
		}
		if ago := int(time.Since(e.Start).Hours() / 24 / 7); ago >= 0 && ago < weeks {
			byWeek[weeks-1-ago]++
		}
	}
	most := max(1, slices.Max(byWeek))
	for i, n := range byWeek {
		monday := time.Now().AddDate(0, 0, -7*(weeks-1-i))
		v.Weeks = append(v.Weeks, bar{monday.Format("2 Jan"), n, 100 * n / most})
	}
	name := func(session string, q ingest.Request) string { return q.Model }
	switch v.By {
	case "project":
		name = func(session string, q ingest.Request) string { return project[session] }
	case "month":
		name = func(session string, q ingest.Request) string { return q.At.Local().Format("2006-01") }
	default:
		v.By = "model"
	}
	if v.Took, err = history.Models(r.Context(), m.Pipeline, time.Time{}, m.Prices, name); err != nil {
		return nil, err
	}
	slices.SortFunc(v.Took.Rows, func(a, b history.TookRow) int {
		if v.By == "month" {
			return cmp.Compare(b.Name, a.Name)
		}
		return cmp.Compare(b.Cost, a.Cost)
	})
	last, err := m.Library.Last("archive", "sync", "improve", "check")
	for _, fact := range last {
		v.Last = append(v.Last, fact)
	}
	slices.SortFunc(v.Last, func(a, b library.Fact) int { return b.At.Compare(a.At) })
	return v, err
}
