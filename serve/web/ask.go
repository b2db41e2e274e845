package web

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	texttemplate "text/template"
	"time"

	"recall/answer"
	"recall/answer/history"
	"recall/index"
	"recall/index/when"
	"recall/library"
	"recall/payload"
	"recall/pipeline/review"
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

// home is what the first page shows before anything is asked.
type home struct {
	Since  time.Time // the last visit, or a week ago
	New    int       // sessions in which something was said since
	Waits  int       // cards for review
	Others []string  // what others in the team recently decided
	Weeks  []bar
	Last   []lastSession
	happened
}

// happened is what the latest sessions decided and left open, each list newest first.
type happened struct {
	Decided  []history.Dated // since the last visit, as what follows
	Reversed []history.Reversed
	Open     []history.Dated
	More     struct{ Decided, Reversed, Open int } // older ones left out
}

// lastSession is a session and the command that continues it.
type lastSession struct {
	library.Entry
	Handle string
	Resume Resumed
}

// How much of each list the first page shows.
const (
	mostLast = 5
	mostNews = 6
)

// atHome fills in what the first page shows.
func (s *Server) atHome(ctx context.Context, m *Memory, f filters) (*home, error) {
	now := time.Now()
	h := &home{Since: s.profile.visit(now), Weeks: weekly(f.catalog.Entries, now)}
	latest, _ := lately(f, 0)
	spoken := library.Spoken(latest)
	for _, e := range spoken[:min(mostLast, len(spoken))] {
		one := lastSession{Entry: e, Handle: payload.Handle(f.catalog.Of(e).Name, f.catalog.Number[string(e.ID)])}
		one.Resume = m.Resume(e, nil)
		h.Last = append(h.Last, one)
	}
	for i := range f.catalog.Entries {
		if f.catalog.Entries[i].End.After(h.Since) {
			h.New++
		}
	}
	if m.Others != nil {
		h.Others = m.Others("")
	}
	waits, err := kept(&s.kept, m.Stamp, "waits", func() (*review.Waiting, error) {
		return waiting(ctx, m, f, latest, 0)
	})
	if err != nil {
		return nil, err
	}
	h.Waits = waits.Len()
	h.happened, err = kept(&s.kept, m.Stamp, "home "+h.Since.String()+f.Today, func() (happened, error) {
		line, err := history.TimelineOf(ctx, m.Pipeline, latest, inTime...)
		open, failed := history.Open(ctx, m.Pipeline, f.Project)
		return happenedSince(line, open, h.Since), cmp.Or(err, failed)
	})
	return h, err
}

// happenedSince picks from a timeline what was decided and reversed since a time, and the newest of what is open.
func happenedSince(line, open []history.Dated, since time.Time) (h happened) {
	claims := func(d history.Dated) bool {
		return d.Item.Kind == payload.Decision || d.Item.Kind == payload.Eliminated
	}
	changed := history.ChangedOf(line, since, claims)
	h.Decided, h.More.Decided = newest(changed.Decided)
	h.Reversed, h.More.Reversed = newest(changed.Reversed)
	h.Open = open[:min(len(open), mostNews)]
	h.More.Open = len(open) - len(h.Open)
	return h
}

// newest returns the last of a list, the last one first, and how many it leaves out.
func newest[T any](list []T) (last []T, more int) {
	more = max(0, len(list)-mostNews)
	last = slices.Clone(list[more:])
	slices.Reverse(last)
	return last, more
}

// A bar is a number and its percentage of the largest.
type bar struct {
	Name    string
	N       int
	Percent int
}

// weeks is the number of weeks shown.
const weeks = 26

// weekly counts the sessions that began in each of the last weeks, named by its first day; the last week ends today.
func weekly(entries []library.Entry, now time.Time) (bars []bar) {
	year, month, day := now.Date()
	tomorrow := time.Date(year, month, day+1, 0, 0, 0, 0, now.Location())
	byWeek := make([]int, weeks)
	for _, e := range entries {
		if ago := int((tomorrow.Sub(e.Start) - 1).Hours() / 24 / 7); ago >= 0 && ago < weeks {
			byWeek[weeks-1-ago]++
		}
	}
	most := max(1, slices.Max(byWeek))
	for i, n := range byWeek {
		bars = append(bars, bar{tomorrow.AddDate(0, 0, -7*(weeks-i)).Format("2 Jan"), n, 100 * n / most})
	}
	return bars
}

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
		newest := sessions[:min(len(sessions), inLetter)]
		line, err := history.TimelineOf(r.Context(), m.Pipeline, newest, inTime...)
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
	var b strings.Builder
	err = letterForm().Execute(&b, v)
	v.Markdown = b.String()
	return v, err
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

// letterForm is the letter as text to paste.
var letterForm = sync.OnceValue(func() *texttemplate.Template {
	all := texttemplate.FuncMap(words())
	all["sentence"] = voice.Sentence // in full
	return texttemplate.Must(texttemplate.New("week.md").Funcs(all).ParseFS(assets, "assets/week.md"))
})
