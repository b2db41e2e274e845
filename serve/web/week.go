package web

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"recall/answer"
	"recall/answer/history"
	"recall/index/when"
	"recall/library"
	"recall/payload"
)

// letter is what happened in a week, by project.
type letter struct {
	From, To      string // its Monday and its Sunday
	Before, After string // the Mondays of the weeks around it, "" before the first session and after today
	Sessions      int
	Cost          float64 // at list prices, in USD
	Projects      []weekOf
	Markdown      string // the same as text
}

// weekOf is a project's week.
type weekOf struct {
	Name string
	*history.Changed
}

// inLetter is how many of the sessions before a week's end a letter looks at, the latest ones: what it reversed may be
// older than the week.
const inLetter = 400

func (s *Server) week(r *http.Request, m *Memory) (any, error) {
	catalog, err := m.Library.Catalog()
	if err != nil {
		return nil, err
	}
	now := time.Now()
	at := now
	if from := r.URL.Query().Get("from"); from != "" {
		if at, err = day(from); err != nil {
			return nil, err
		}
	}
	from, _ := when.Within(at, "week")
	to := from.AddDate(0, 0, 7)
	v, err := kept(&s.kept, m.Stamp, "week of "+from.String(), func() (v letter, err error) {
		sessions := slices.DeleteFunc(slices.Clone(catalog.Entries), func(e library.Entry) bool {
			return e.Helper || !e.Start.Before(to)
		})
		for _, e := range sessions {
			if !e.End.Before(from) {
				v.Sessions++
			}
		}
		slices.SortStableFunc(sessions, func(a, b library.Entry) int { return b.End.Compare(a.End) })
		line, err := history.TimelineOf(r.Context(), m.Pipeline, catalog, sessions[:min(len(sessions), inLetter)], inTime...)
		if err != nil {
			return v, err
		}
		v.Projects = changedIn(line, from, to)
		costs, err := costsOf(r.Context(), m, filters{since: from, asOf: to})
		for _, cost := range costs {
			v.Cost += cost
		}
		return v, err
	})
	if err != nil {
		return nil, err
	}
	v.From, v.To = from.Format(time.DateOnly), to.AddDate(0, 0, -1).Format(time.DateOnly)
	if slices.ContainsFunc(catalog.Entries, func(e library.Entry) bool {
		return !e.Start.IsZero() && e.Start.Before(from)
	}) {
		v.Before = from.AddDate(0, 0, -7).Format(time.DateOnly)
	}
	if to.Before(now) {
		v.After = to.Format(time.DateOnly)
	}
	v.Markdown = v.markdown()
	return v, nil
}

// changedIn returns what changed on a timeline from one time to another, the busiest project first.
func changedIn(line []history.Dated, from, to time.Time) (all []weekOf) {
	line = slices.DeleteFunc(line, func(d history.Dated) bool { return !d.Item.At.Before(to) })
	for i := range line {
		if d := &line[i]; d.Until != nil && !d.Until.Before(to) { // what happened to it came after that week
			*d = history.Dated{Placed: d.Placed}
		}
	}
	byProject := map[string][]history.Dated{}
	for _, d := range line {
		byProject[d.Project] = append(byProject[d.Project], d)
	}
	for name, of := range byProject {
		if c := history.ChangedOf(of, from, func(history.Dated) bool { return true }); !c.Empty() {
			all = append(all, weekOf{name, c})
		}
	}
	slices.SortFunc(all, func(a, b weekOf) int {
		return cmp.Or(cmp.Compare(len(b.Decided), len(a.Decided)), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// markdown returns the letter as text to paste.
func (l *letter) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s to %s\n\n%s, $%.2f\n", l.From, l.To, answer.Count(l.Sessions, "session"), l.Cost)
	entry := func(d history.Dated) string {
		out := fmt.Sprintf("- %s (%s)\n", voice.Sentence(d.Item), payload.Handle(d.Project, d.SessionN))
		if quote := quoteOf(d.Item); quote != "" {
			out += "  > " + quote + "\n"
		}
		return out
	}
	list := func(name string, entries []string) {
		if len(entries) > 0 {
			fmt.Fprintf(&b, "\n**%s**\n\n%s", name, strings.Join(entries, ""))
		}
	}
	of := func(all []history.Dated) (entries []string) {
		for _, d := range all {
			entries = append(entries, entry(d))
		}
		return entries
	}
	became := func(all []history.Reversed) (entries []string) {
		for _, r := range all {
			entries = append(entries, fmt.Sprintf("- ~~%s~~\n", voice.Sentence(r.Earlier.Item))+"  "+entry(r.Later))
		}
		return entries
	}
	for _, p := range l.Projects {
		fmt.Fprintf(&b, "\n## %s\n", p.Name)
		list("Decided", of(p.Decided))
		list("Reversed", became(p.Reversed))
		list("Settled", became(p.Settled))
		list("Open", of(p.Open))
	}
	return b.String()
}
