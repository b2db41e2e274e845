package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"recall/distill/offline"
	"recall/eval"
	"recall/index"
	"recall/index/rank"
	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/payload"
)

// The sources of items.
const (
	ours    = "offline items"
	perfect = "perfect items"
	aliased = "perfect items, aliases"
	// Aliases without the question that is asked, for fitting.
	withoutFirst  = "without first"
	withoutSecond = "without second"
)

var sources = []string{ours, perfect, aliased}

// world is all sessions and what people asked of them.
type world struct {
	dir      string // temporary
	projects []string
	sessions []*ingest.Session
	project  map[ingest.SessionID]string
	invented map[string]bool         // of the projects
	cases    map[string][]*eval.Case // by project
	more     map[string]eval.Other   // beside each gold item
	mu       sync.Mutex              // of indexes
	indexes  map[corner]*index.Index
	weights  *rank.Weights // in use; nil: as shipped
	ours     map[ingest.SessionID]*payload.Payload
	pred     map[string][]string     // offline items that match a gold one
	kinds    map[string]payload.Kind // of gold items
	asked    []question
	passages bool // fit passages alone
	samples  []sample
}

// corner is what an index is made of: a project's sessions that had begun by
// some day, with items of one source.
type corner struct {
	source, project string
	sessions        int
}

// question is what somebody asks of a project.
type question struct {
	text    string
	project string
	expect  []string  // gold items, "<session>#<item>"; empty if nothing answers it
	stale   []string  // gold items that held once
	until   time.Time // asked then; zero for after the last session
	ask     int       // 1, 2: the question beside an item, not a person's
}

// load reads the projects of people, where there are any, and the invented ones.
func load(ctx context.Context, shared, invented string) (*world, error) {
	dir, err := os.MkdirTemp("", "recall-rank-")
	if err != nil {
		return nil, err
	}
	w := &world{dir: dir, project: map[ingest.SessionID]string{}, invented: map[string]bool{},
		cases: map[string][]*eval.Case{}, more: map[string]eval.Other{}, indexes: map[corner]*index.Index{},
		ours: map[ingest.SessionID]*payload.Payload{}, pred: map[string][]string{}, kinds: map[string]payload.Kind{}}
	if shared != "" {
		if err := w.parse(ctx, filepath.Join(shared, "transcripts", "dev")); err != nil {
			return w, err
		}
		if err := w.gold(filepath.Join(shared, "eval", "gold")); err != nil {
			return w, err
		}
	}
	if err := w.gold(invented); err != nil {
		return w, err
	}
	return w, w.distill(ctx)
}

func (w *world) close() {
	for _, x := range w.indexes {
		x.Close()
	}
	os.RemoveAll(w.dir)
}

func (w *world) parse(ctx context.Context, dir string) error {
	found, _ := claudecode.Reader{}.Find(ctx, dir, nil)
	for _, f := range found {
		s, err := claudecode.Reader{}.Parse(ctx, f)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, f.Files[0].Path)
		if err != nil {
			return err
		}
		w.project[s.ID], _, _ = strings.Cut(filepath.ToSlash(rel), "/")
		w.sessions = append(w.sessions, s)
	}
	slices.SortFunc(w.sessions, func(a, b *ingest.Session) int {
		return cmp.Or(a.Start.Compare(b.Start), strings.Compare(string(a.ID), string(b.ID)))
	})
	ingest.Own(w.sessions)
	ingest.AdoptPlans(w.sessions)
	return nil
}

// gold reads sessions that are told, gold items, aliases and questions.
func (w *world) gold(dir string) error {
	set, err := eval.LoadSet(dir)
	if err != nil {
		return err
	}
	w.sessions = append(w.sessions, set.Sessions...)
	byID := map[string]*ingest.Session{}
	for _, s := range w.sessions {
		byID[string(s.ID)] = s
	}
	var projects []string
	for _, g := range set.Golds {
		s := byID[g.Session]
		if s == nil {
			return fmt.Errorf("%s: session %s isn't among the transcripts", g.File, g.Session)
		}
		if !slices.Contains(projects, g.Project) {
			projects = append(projects, g.Project)
		}
		w.project[s.ID] = g.Project
		w.invented[g.Project] = slices.Contains(set.Sessions, s)
		w.cases[g.Project] = append(w.cases[g.Project], eval.NewCase(s, g))
	}
	slices.Sort(projects)
	w.projects = append(w.projects, projects...)
	maps.Copy(w.more, set.Others)
	for _, q := range set.Questions {
		one := question{text: q.Q, project: filepath.Base(filepath.Dir(q.File)), expect: q.Expect, stale: q.Stale}
		if q.AsOf != "" {
			day, err := time.Parse(time.DateOnly, q.AsOf)
			if err != nil {
				return fmt.Errorf("%s: %w", q.File, err)
			}
			one.until = day.AddDate(0, 0, 1)
		}
		w.asked = append(w.asked, one)
	}
	for _, p := range projects {
		for _, c := range w.cases[p] {
			for _, it := range c.Gold.Items {
				id := c.Gold.Session + "#" + it.ID
				w.kinds[id] = it.Kind
				for n, ask := range set.Others[id].Asks {
					if n < 2 {
						w.asked = append(w.asked, question{text: ask, project: p, expect: []string{id}, ask: n + 1})
					}
				}
			}
		}
	}
	return nil
}

// distill makes our own items of all sessions, and says which gold item each
// of them is.
func (w *world) distill(ctx context.Context) error {
	cases := w.bySession()
	for _, s := range w.sessions {
		p, err := offline.Distiller{}.Distill(ctx, s)
		if err != nil {
			return err
		}
		for i := range p.Items { // ids are given where payloads are kept
			p.Items[i].ID = payload.ItemID(fmt.Sprintf("%s/%d", s.ID, i))
		}
		w.ours[s.ID] = p
		c := cases[s.ID]
		if c == nil {
			continue
		}
		for _, pair := range c.Match(p.Items, false) {
			id := c.Gold.Session + "#" + c.Gold.Items[pair.Gold].ID
			w.pred[id] = append(w.pred[id], string(p.Items[pair.Pred].ID))
		}
	}
	return nil
}

func (w *world) bySession() map[ingest.SessionID]*eval.Case {
	cases := map[ingest.SessionID]*eval.Case{}
	for _, list := range w.cases {
		for _, c := range list {
			cases[c.Session.ID] = c
		}
	}
	return cases
}

// index is that of one source of items of a project's sessions as they were at
// a time, the zero one for now; made where it is first asked for.
func (w *world) index(ctx context.Context, project, source string, until time.Time) (*index.Index, error) {
	var begun []*ingest.Session
	for _, s := range w.sessions {
		if w.project[s.ID] == project && (until.IsZero() || s.Start.Before(until)) {
			begun = append(begun, s)
		}
	}
	at := corner{source, project, len(begun)}
	w.mu.Lock()
	defer w.mu.Unlock()
	if x := w.indexes[at]; x != nil {
		return x, nil
	}
	x, err := index.Open(filepath.Join(w.dir, fmt.Sprint(len(w.indexes)), "index.db"))
	if err != nil {
		return nil, err
	}
	w.indexes[at] = x
	cases := w.bySession()
	var docs []index.Doc
	for _, s := range begun {
		p := &payload.Payload{}
		if c := cases[s.ID]; source == ours {
			p = w.ours[s.ID]
		} else if c != nil {
			p.Items = w.goldItems(c, source)
		}
		docs = append(docs, index.DocOf(s, p, w.project[s.ID]))
	}
	if err := x.PutAll(ctx, docs); err != nil {
		return nil, err
	}
	if err := eval.Relate(ctx, x, docs); err != nil {
		return nil, err
	}
	if err := x.Tidy(ctx); err != nil {
		return nil, err
	}
	if w.weights != nil {
		x.UseWeights(*w.weights)
	}
	return x, nil
}

// goldItems are a case's items as a perfect distiller would give them.
func (w *world) goldItems(c *eval.Case, source string) []payload.Item {
	if source == perfect {
		return c.Items(nil)
	}
	known := map[string]eval.Other{}
	for _, g := range c.Gold.Items {
		id := c.Gold.Session + "#" + g.ID
		o := w.more[id]
		switch n := len(o.Asks); source {
		case withoutFirst:
			o.Asks = o.Asks[min(1, n):]
		case withoutSecond:
			o.Asks = slices.Concat(o.Asks[:min(1, n)], o.Asks[min(2, n):])
		}
		known[id] = o
	}
	return c.Items(known)
}

// right are the items of a source that answer a question, and its sessions.
func (w *world) right(q question, source string) (items, sessions map[string]bool) {
	items, sessions = map[string]bool{}, map[string]bool{}
	for _, e := range q.expect {
		s, _, _ := strings.Cut(e, "#")
		sessions[s] = true
		items[e] = source != ours
		for _, id := range w.pred[e] {
			items[id] = items[id] || source == ours
		}
	}
	return items, sessions
}
