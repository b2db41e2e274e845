package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recall/distill/offline"
	"recall/eval"
	"recall/index"
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
	cases    map[string][]*eval.Case // by project
	more     map[string]others       // beside each gold item
	indexes  map[string]*index.Index // by source
	pred     map[string][]string     // offline items that match a gold one
	kinds    map[string]payload.Kind // of gold items
	asked    []question
	samples  []sample
}

// others are the words that a model wrote beside an item.
type others struct{ Aliases, Asks []string }

// question is what somebody asks of a project.
type question struct {
	text    string
	project string
	expect  []string // gold items, "<session>#<item>"; empty if nothing answers it
	ask     int      // 1, 2: the question beside an item, not a person's
}

func load(ctx context.Context, shared string) (*world, error) {
	dir, err := os.MkdirTemp("", "recall-rank-")
	if err != nil {
		return nil, err
	}
	w := &world{dir: dir, project: map[ingest.SessionID]string{}, cases: map[string][]*eval.Case{}, more: map[string]others{}, indexes: map[string]*index.Index{}, pred: map[string][]string{}, kinds: map[string]payload.Kind{}}
	if err := w.parse(ctx, filepath.Join(shared, "transcripts", "dev")); err != nil {
		return w, err
	}
	if err := w.gold(filepath.Join(shared, "eval", "gold")); err != nil {
		return w, err
	}
	for _, s := range append(sources, withoutFirst, withoutSecond) {
		if err := w.index(ctx, s); err != nil {
			return w, err
		}
	}
	return w, nil
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
	ingest.Own(w.sessions)
	return nil
}

// gold reads gold items, aliases and questions.
func (w *world) gold(dir string) error {
	sets, err := eval.LoadGold(dir)
	if err != nil {
		return err
	}
	byID := map[string]*ingest.Session{}
	for _, s := range w.sessions {
		byID[string(s.ID)] = s
	}
	for _, g := range sets {
		s := byID[g.Session]
		if s == nil {
			return fmt.Errorf("%s: session %s isn't among the transcripts", g.File, g.Session)
		}
		w.cases[g.Project] = append(w.cases[g.Project], eval.NewCase(s, g))
	}
	w.projects = slices.Sorted(maps.Keys(w.cases))
	for _, p := range w.projects {
		more := map[string]others{}
		if err := readJSON(filepath.Join(dir, p, "aliases.json"), &more); err != nil {
			return err
		}
		maps.Copy(w.more, more)
		files, err := filepath.Glob(filepath.Join(dir, p, "*.questions.json"))
		if err != nil {
			return err
		}
		for _, f := range files {
			var qs []struct {
				Q      string
				Expect []string
			}
			if err := readJSON(f, &qs); err != nil {
				return err
			}
			for _, q := range qs {
				w.asked = append(w.asked, question{text: q.Q, project: p, expect: q.Expect})
			}
		}
		for _, c := range w.cases[p] {
			for _, it := range c.Gold.Items {
				id := c.Gold.Session + "#" + it.ID
				w.kinds[id] = it.Kind
				for n, ask := range more[id].Asks {
					if n < 2 {
						w.asked = append(w.asked, question{text: ask, project: p, expect: []string{id}, ask: n + 1})
					}
				}
			}
		}
	}
	return nil
}

func readJSON(file string, v any) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// index makes the index of one source of items.
func (w *world) index(ctx context.Context, source string) error {
	x, err := index.Open(filepath.Join(w.dir, source, "index.db"))
	if err != nil {
		return err
	}
	w.indexes[source] = x
	cases := map[ingest.SessionID]*eval.Case{}
	for _, list := range w.cases {
		for _, c := range list {
			cases[c.Session.ID] = c
		}
	}
	var docs []index.Doc
	for _, s := range w.sessions {
		p := &payload.Payload{}
		switch c := cases[s.ID]; {
		case source == ours:
			if p, err = (offline.Distiller{}).Distill(ctx, s); err != nil {
				return err
			}
			for i := range p.Items { // ids are given where payloads are kept
				p.Items[i].ID = payload.ItemID(fmt.Sprintf("%s/%d", s.ID, i))
			}
			if c != nil {
				for _, pair := range c.Match(p.Items, false) {
					id := c.Gold.Session + "#" + c.Gold.Items[pair.Gold].ID
					w.pred[id] = append(w.pred[id], string(p.Items[pair.Pred].ID))
				}
			}
		case c != nil:
			p.Items = w.goldItems(c, source)
		}
		docs = append(docs, index.DocOf(s, p, w.project[s.ID]))
	}
	return x.PutAll(ctx, docs)
}

// goldItems are a case's items as a perfect distiller would give them.
func (w *world) goldItems(c *eval.Case, source string) []payload.Item {
	n := map[string]int{}
	for _, t := range c.Session.Turns {
		n[string(t.ID)] = t.N
		for _, id := range t.Records {
			n[id] = t.N
		}
	}
	var out []payload.Item
	for _, g := range c.Gold.Items {
		id := c.Gold.Session + "#" + g.ID
		it := payload.Item{ID: payload.ItemID(id), Kind: g.Kind, Text: g.Text, Why: g.Why, State: payload.Stands}
		asks := w.more[id].Asks
		switch source {
		case perfect:
			asks = nil
		case withoutFirst:
			asks = asks[min(1, len(asks)):]
		case withoutSecond:
			asks = slices.Concat(asks[:min(1, len(asks))], asks[min(2, len(asks)):])
		}
		if source != perfect {
			it.Aliases = slices.Concat(w.more[id].Aliases, asks)
		}
		for _, t := range g.Turns {
			it.Evidence = append(it.Evidence, payload.Evidence{Turn: t, N: n[t], Quote: g.Quote})
		}
		out = append(out, it)
	}
	return out
}

// right tells which results of a source answer a question: items that are
// expected, and turns that they rest on.
func (w *world) right(q question, source string) (items map[string]bool, turns map[string]bool, sessions map[string]bool) {
	items, turns, sessions = map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, e := range q.expect {
		s, _, _ := strings.Cut(e, "#")
		sessions[s] = true
		if source == ours {
			for _, id := range w.pred[e] {
				items[id] = true
			}
		} else {
			items[e] = true
		}
		for _, t := range w.evidence(e) {
			turns[s+"/"+t] = true
		}
	}
	return items, turns, sessions
}

// evidence lists the turns that a gold item rests on, by the ids of the index.
func (w *world) evidence(id string) []string {
	session, name, _ := strings.Cut(id, "#")
	for _, list := range w.cases {
		for _, c := range list {
			if c.Gold.Session != session {
				continue
			}
			at := map[string]string{}
			for _, t := range c.Session.Turns {
				at[string(t.ID)] = string(t.ID)
				for _, r := range t.Records {
					at[r] = string(t.ID)
				}
			}
			for _, it := range c.Gold.Items {
				if it.ID != name {
					continue
				}
				var out []string
				for _, t := range it.Turns {
					out = append(out, at[t])
				}
				return out
			}
		}
	}
	return nil
}
