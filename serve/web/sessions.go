package web

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"recall/answer"
	"recall/answer/history"
	"recall/index"
	"recall/ingest"
	"recall/internal/escape"
	"recall/internal/text"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

// aPage is the number of sessions on a page.
const aPage = 100

// sessionsView is a list of sessions, newest first.
type sessionsView struct {
	filters
	Find     string
	Starred  bool
	Tag      string
	State    library.State
	Leaving  bool // only those that their client deletes within a week
	Headless bool // also those that a program held
	Left     int  // of these, left out
	Days     []logDay
	Said     []saidIn              // where the words were said, whatever the session's title
	Cut      bool                  // Said isn't all
	From, Of int                   // position of the first one, from 0, and the total
	Cost     float64               // of all of them, in the days that they are looked for in
	States   map[library.State]int // counts of all sessions
	Doomed   []pipeline.Expiring
	Doom     map[ingest.SessionID]bool // sessions among the doomed
	Broken   []ingest.Problem
}

// A logDay is a day's sessions, by when something was last said in them.
type logDay struct {
	Name     string // 2026-11-25
	Sessions []logged
}

// logged is a session and what it came to.
type logged struct {
	*library.ListEntry
	Took              time.Duration // from its first to its last turn
	Decided, RuledOut int
	Outcome           *payload.Item // what it decided or ruled out last
	Cost              float64       // at list prices, in USD; 0 if unknown
	index.Shape
}

// Next returns where the next page begins, 0 for none.
func (v sessionsView) Next() int {
	if v.From+aPage < v.Of {
		return v.From + aPage
	}
	return 0
}

func (s *Server) sessions(r *http.Request, m *Memory) (any, error) {
	f, err := filter(r, m)
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	v := sessionsView{filters: f, Find: q.Get("find"), Starred: q.Has("starred"), Tag: payload.Tag(q.Get("tag")),
		State: library.State(q.Get("state")), Leaving: q.Has("leaving"), States: map[library.State]int{},
		Doom: map[ingest.SessionID]bool{}, Broken: m.Library.Broken()}
	look := s.look(r.Context(), m)
	v.Doomed = look.doomed
	for _, d := range v.Doomed {
		for _, id := range d.IDs {
			v.Doom[id] = true
		}
	}
	maps.Copy(f.catalog.Closed, look.excluded)
	var all []*library.ListEntry // pointers: the values are large to sort
	list := f.catalog.List("", look.found)
	for i := range list {
		v.States[list[i].State]++
	}
	if v.Headless = q.Has("headless"); !v.Headless {
		list, v.Left = library.WithoutHeadless(list)
	}
	for i := range list {
		l := &list[i]
		tagged := v.Tag == "" || slices.Contains(l.Tags, v.Tag)
		marked := l.Archived == v.Archived && (!v.Starred || l.Starred) && tagged
		elsewhere := f.Project != "" && l.Project != f.Project && !slices.Contains(l.Also, f.Project)
		other := v.State != "" && l.State != v.State || v.Leaving && !v.Doom[l.ID]
		during := !l.End.Before(f.since) && (f.asOf.IsZero() || l.Start.Before(f.asOf))
		meant := marked && !elsewhere && !other && during
		if meant && (v.Find == "" || l.Named(v.Find)) {
			all = append(all, l)
		}
	}
	slices.SortFunc(all, func(a, b *library.ListEntry) int {
		return cmp.Or(b.End.Compare(a.End), b.Start.Compare(a.Start), cmp.Compare(a.ID, b.ID))
	})
	v.Of = len(all)
	v.From, _ = strconv.Atoi(q.Get("from"))
	v.From = min(max(v.From, 0), v.Of)
	if v.Find != "" && v.From == 0 {
		v.Said, v.Cut = saidWhere(r.Context(), m, f, v.Find)
	}
	costs, err := kept(&s.kept, m.Stamp, "cost by session "+v.Since+" "+v.AsOf, func() (map[string]float64, error) {
		return costsOf(r.Context(), m, f)
	})
	if err != nil {
		return nil, err
	}
	for _, l := range all {
		v.Cost += costs[string(l.ID)]
	}
	v.Days, err = byDay(r.Context(), m, all[v.From:min(v.From+aPage, v.Of)], costs)
	return v, err
}

// looked is what the clients have, and whether it is kept.
type looked struct {
	doomed   []pipeline.Expiring
	unsafe   []ingest.Problem
	found    map[string]ingest.File
	excluded map[ingest.SessionID]string
}

// look looks at what the clients have, once a minute while nothing is written.
func (s *Server) look(ctx context.Context, m *Memory) looked {
	minute := time.Now().Format("2006-01-02 15:04")
	l, _ := kept(&s.kept, m.Stamp, "looked at "+minute, func() (l looked, err error) {
		l.doomed, l.unsafe, l.found = m.Exposed(ctx)
		l.excluded = m.Excluded()
		return l, ctx.Err() // else it is cut short
	})
	return l
}

// saidIn is a session whose transcript has the words looked for.
type saidIn struct {
	library.SessionRef
	Href  string // of the session, with what is found in it
	Found []match
}

// Limits of what a page shows of where words were said.
const (
	saidSessions = 20
	saidLines    = 3 // of a session
	saidPatience = 1500 * time.Millisecond
)

// errEnough ends a search.
var errEnough = errors.New("enough")

// saidWhere finds where words were said, in the newest sessions first, or else where tools printed them; cut reports
// whether there may be more.
func saidWhere(ctx context.Context, m *Memory, f filters, words string) (all []saidIn, cut bool) {
	g, err := history.NewGrep(words, true, true, false)
	if err != nil {
		return nil, false // no line holds it
	}
	sessions := slices.DeleteFunc(slices.Clone(f.catalog.Entries), func(e library.Entry) bool {
		return e.Marks.Archived != f.Archived || f.Project != "" && !f.catalog.WorkedIn(e, f.Project) || e.End.Before(f.since)
	})
	slices.SortStableFunc(sessions, func(a, b library.Entry) int { return b.End.Compare(a.End) })
	ctx, cancel := context.WithTimeout(ctx, saidPatience)
	defer cancel()
	list := func(e library.Entry, lines []history.Line) error {
		if len(all) == saidSessions {
			return errEnough
		}
		one := saidIn{SessionRef: f.catalog.Ref(string(e.ID)),
			Href: "/session/" + string(e.ID) + "?" + url.Values{"find": {words}}.Encode()}
		if lines[0].File == "" { // the page may not have all of an output
			one.Href = "/session/" + string(e.ID)
		}
		for _, l := range lines[:min(len(lines), saidLines)] {
			found := matchAt(l.Text, l.Spans[0].From, l.Spans[0].To)
			found.Where = "turn " + strconv.Itoa(l.Turn)
			found.Href = one.Href + "#n" + strconv.Itoa(l.Turn)
			one.Found = append(one.Found, found)
		}
		all = append(all, one)
		return nil
	}
	err = g.Each(ctx, sessions, g.Transcript, list)
	outputs, ok := g.Outputs(m.Library, m.Read)
	if ok && err == nil && len(all) == 0 {
		err = g.Each(ctx, sessions, outputs, list)
	}
	return all, err != nil || len(g.Problems) > 0
}

// byDay makes a log of sessions, the newest of which come first.
func byDay(ctx context.Context, m *Memory, sessions []*library.ListEntry, costs map[string]float64) (
	days []logDay, err error) {
	ids := make([]string, len(sessions))
	for i, l := range sessions {
		ids[i] = string(l.ID)
	}
	items, err := m.Index.ItemsAmong(ctx, ids, payload.Decision, payload.Eliminated)
	if err != nil {
		return nil, err
	}
	of := map[string][]index.Placed{}
	for _, it := range items {
		of[it.Session] = append(of[it.Session], it)
	}
	shapes, err := m.Index.Shapes(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, l := range sessions {
		one := logged{ListEntry: l, Cost: costs[string(l.ID)], Shape: shapes[string(l.ID)]}
		begins := strings.TrimRight(strings.ToLower(text.OneLine(l.Title)), ".… ")
		if strings.HasPrefix(strings.ToLower(text.OneLine(one.Prompt)), begins) { // the title says it
			one.Prompt = ""
		}
		if !l.Start.IsZero() {
			one.Took = l.End.Sub(l.Start)
		}
		for _, it := range of[string(l.ID)] {
			if it.Item.Kind == payload.Decision {
				one.Decided++
			} else {
				one.RuledOut++
			}
			one.Outcome = &it.Item
		}
		if day := answer.Day(l.End); len(days) == 0 || days[len(days)-1].Name != day {
			days = append(days, logDay{Name: day})
		}
		last := &days[len(days)-1]
		last.Sessions = append(last.Sessions, one)
	}
	return days, nil
}

// mark records what a form changes about sessions as a whole; a title is that of one.
func (s *Server) mark(r *http.Request, m *Memory) error {
	var mark payload.Mark
	yes := func(name string) *bool {
		if !r.PostForm.Has(name) {
			return nil
		}
		on := r.PostForm.Get(name) == "yes"
		return &on
	}
	mark.Star, mark.Archive = yes("star"), yes("archive")
	for name, into := range map[string]*[]string{"tag": &mark.Tag, "untag": &mark.Untag} {
		if tag := payload.Tag(r.PostForm.Get(name)); tag != "" {
			*into = []string{tag}
		}
	}
	for _, id := range r.PostForm["session"] {
		e, err := m.Library.Session(ingest.SessionID(id))
		if err != nil {
			return err
		}
		name := strings.TrimSpace(r.PostForm.Get("name"))
		if !r.PostForm.Has("save") || name == escape.Page(e.Title, escape.HTML) { // unchanged
			name = ""
		}
		if err := m.Mark(e.ID, mark, name); err != nil {
			return err
		}
	}
	return nil
}
