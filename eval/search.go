package eval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"recall/answer"
	"recall/eval/baseline"
	"recall/index"
	"recall/ingest"
	"recall/payload"
	"recall/text"
)

// A search answers questions.
type search struct {
	name             string
	model            string
	baseline, oracle bool
	several          bool // answer may be asked several things at the same time
	answer           func(context.Context, Question) (said, error)
	close            func()
}

// sessionOf is the session in a gold item's name.
func sessionOf(name string) string {
	s, _, _ := strings.Cut(name, "#")
	return s
}

// searches are the ways to answer that are compared, the one under test first.
func searches(ctx context.Context, set *Set, c *corpus, o Options, r *Run) ([]*search, error) {
	var distilled map[string][]payload.Item
	var holds map[payload.ItemID]string
	if name := o.distiller().Name(); o.wants(name) || o.wants(withoutNames) {
		var err error
		if distilled, holds, err = distillAll(ctx, c, o, r); err != nil {
			return nil, err
		}
	}
	quotes := quotesOf(c)
	gold, goldHolds := goldItems(c, nil)
	withOther, _ := goldItems(c, set.Others)
	indexed := func(name string, items map[string][]payload.Item, holds map[payload.ItemID]string) *search {
		x := &indexed{corpus: c, judge: o.judge(), items: items, holds: holds, quotes: quotes, open: map[int]*index.Index{}}
		if items != nil {
			x.model = o.SecondLook
		}
		return &search{name: name, answer: x.answer, close: x.close, several: o.SecondLook != nil}
	}
	all := []*search{
		indexed(o.distiller().Name(), distilled, holds),
		{name: "OR-BM25 over messages", answer: overMessages(c, o.judge(), quotes), close: func() {}},
		{name: DrawnPassages, answer: c.drawn(o.judge()), close: func() {}},
		indexed("turns only", nil, nil),
		indexed("oracle", gold, goldHolds),
	}
	if len(set.Others) > 0 {
		all = append(all, indexed("oracle with aliases", withOther, goldHolds))
	}
	all[0].model = o.Model
	if o.Model != "" {
		all = append(all, indexed(withoutNames, withoutAliases(distilled), holds))
	}
	for _, s := range all[1:] {
		s.oracle = strings.HasPrefix(s.name, "oracle")
		s.baseline = !s.oracle
	}
	chosen := slices.DeleteFunc(slices.Clone(all), func(s *search) bool { return !o.wants(s.name) })
	if len(chosen) == 0 {
		return nil, fmt.Errorf("nothing to compare is called %s: there are %s", strings.Join(o.Only, ", "),
			strings.Join(namesOf(all), ", "))
	}
	return chosen, nil
}

func (o Options) wants(name string) bool { return len(o.Only) == 0 || slices.Contains(o.Only, name) }

func namesOf(all []*search) []string {
	var names []string
	for _, s := range all {
		names = append(names, s.name)
	}
	return names
}

// withoutNames is the search over a model's items without the other words that it
// gave them: what is lost is what these words bring.
const withoutNames = "without aliases"

func withoutAliases(items map[string][]payload.Item) map[string][]payload.Item {
	out := map[string][]payload.Item{}
	for session, list := range items {
		list = slices.Clone(list)
		for i := range list {
			list[i].Aliases = nil
		}
		out[session] = list
	}
	return out
}

// distillAll makes the payload items of all sessions, with ids, and says which
// gold item each of them holds.
func distillAll(ctx context.Context, c *corpus, o Options, r *Run) (items map[string][]payload.Item,
	holds map[payload.ItemID]string, err error) {
	items, holds = map[string][]payload.Item{}, map[payload.ItemID]string{}
	cases := map[ingest.SessionID]*Case{}
	for _, k := range c.cases {
		cases[k.Session.ID] = k
	}
	all, err := distillEach(ctx, c.all, o)
	if err != nil {
		return nil, nil, err
	}
	pairs := make([][]Pair, len(all))
	err = o.each(ctx, len(all), func(ctx context.Context, i int) (what string, err error) {
		k, p := cases[c.all[i].ID], all[i].payload
		if k == nil || all[i].err != nil {
			return "", nil
		}
		_, pairs[i], err = k.matchBy(ctx, o.judge(), k.claims(p.Items))
		return k.Session.Title, err
	})
	if err != nil {
		return nil, nil, err
	}
	for i, d := range all {
		id := string(c.all[i].ID)
		if d.err != nil {
			r.Problems = append(r.Problems, Problem{id, "", fmt.Sprintf("not distilled: %v", d.err)})
			continue
		}
		items[id] = d.payload.Items
		for _, pair := range pairs[i] {
			k := cases[c.all[i].ID]
			holds[d.payload.Items[pair.Pred].ID] = k.Gold.Session + "#" + k.Gold.Items[pair.Gold].ID
		}
	}
	return items, holds, nil
}

// goldItems are what people wrote, by session, and which gold item each holds.
func goldItems(c *corpus, others map[string]Other) (map[string][]payload.Item, map[payload.ItemID]string) {
	items, holds := map[string][]payload.Item{}, map[payload.ItemID]string{}
	for _, k := range c.cases {
		for _, it := range k.Items(others) {
			items[k.Gold.Session] = append(items[k.Gold.Session], it)
			holds[it.ID] = string(it.ID)
		}
	}
	return items, holds
}

// Items are what people wrote of the session as a payload would hold it, with
// the other words that they may be found by; each has its name as id,
// "<session>#<item>".
func (k *Case) Items(others map[string]Other) []payload.Item {
	var out []payload.Item
	at := map[string]ingest.Turn{}
	for _, t := range k.Session.Turns {
		at[string(t.ID)] = t
	}
	for _, g := range k.Gold.Items {
		name := k.Gold.Session + "#" + g.ID
		it := payload.Item{ID: payload.ItemID(name), Kind: g.Kind, Text: g.Text, Why: g.Why, By: g.By, About: g.About,
			State:   payload.Stands,
			Aliases: slices.Concat(others[name].Aliases, others[name].Asks)}
		if g.Kind == payload.File {
			it.Path = firstPath(g.Text)
		}
		for _, id := range g.Turns {
			t := at[canonical(id, k.turns)]
			it.Evidence = append(it.Evidence, payload.Evidence{Turn: id, N: t.N, Quote: g.Quote})
			if it.At.IsZero() {
				it.At = t.At
			}
		}
		out = append(out, it)
	}
	return out
}

// quote is the evidence of a gold item in plain spaces.
type quote struct{ name, text string }

func quotesOf(c *corpus) map[string][]quote {
	m := map[string][]quote{}
	for _, k := range c.cases {
		for _, g := range k.Gold.Items {
			if text := text.OneLine(g.Quote); text != "" {
				m[k.Gold.Session] = append(m[k.Gold.Session], quote{k.Gold.Session + "#" + g.ID, text})
			}
		}
	}
	return m
}

// quoted lists the gold items whose quote stands in a text of a session.
func quoted(quotes []quote, said string) []string {
	said = text.OneLine(said)
	var out []string
	for _, q := range quotes {
		if strings.Contains(said, q.text) {
			out = append(out, q.name)
		}
	}
	return out
}

// overMessages is the baseline that searches messages as they are.
func overMessages(c *corpus, by Judge, quotes map[string][]quote) func(context.Context, Question) (said, error) {
	made := map[int]*baseline.Messages{}
	return func(ctx context.Context, q Question) (said, error) {
		until, err := q.asOf()
		if err != nil {
			return said{}, err
		}
		sessions := c.begunBy(until)
		if made[len(sessions)] == nil {
			made[len(sessions)] = baseline.NewMessages(sessions)
		}
		begun := time.Now()
		found := made[len(sessions)].Search(q.Q)
		a := said{seconds: since(begun), refused: len(found) == 0}
		for _, m := range found {
			if !slices.Contains(a.sessions, m.Session) {
				a.sessions = append(a.sessions, m.Session)
			}
			if len(a.results) < deepest {
				a.results = append(a.results, result{m.Session, quoted(quotes[m.Session], m.Text), m.Session + "#" +
					string(m.Turn), m.Text})
			}
		}
		for i, shown := range a.results[:min(len(a.results), printed)] {
			shown.holds, err = c.holds(ctx, by, q, shown.session, string(found[i].Turn), shown.text)
			if err != nil {
				return said{}, err
			}
			a.shown = append(a.shown, shown)
		}
		return a, nil
	}
}

// begunBy lists the sessions that had begun by then, oldest first; all of them
// for the zero time.
func (c *corpus) begunBy(until time.Time) []*ingest.Session {
	if until.IsZero() {
		return c.all
	}
	n := 0
	for n < len(c.all) && c.all[n].Start.Before(until) {
		n++
	}
	return c.all[:n]
}

// indexed is recall's own search over items, in an index made for it alone.
type indexed struct {
	corpus *corpus
	judge  Judge
	items  map[string][]payload.Item // by session; nil for turns only
	holds  map[payload.ItemID]string
	quotes map[string][]quote
	model  *answer.SecondLook   // nil: none
	mu     sync.Mutex           // of open and dir
	open   map[int]*index.Index // by how many of the sessions, oldest first, are in it
	dir    string
}

func (x *indexed) close() {
	for _, ix := range x.open {
		ix.Close()
	}
	if x.dir != "" {
		os.RemoveAll(x.dir)
	}
}

// of is the index of the first sessions.
func (x *indexed) of(ctx context.Context, sessions []*ingest.Session) (*index.Index, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := len(sessions)
	if ix := x.open[n]; ix != nil {
		return ix, nil
	}
	if x.dir == "" {
		var err error
		if x.dir, err = os.MkdirTemp("", "recall-eval-"); err != nil {
			return nil, err
		}
	}
	ix, err := index.Open(filepath.Join(x.dir, fmt.Sprintf("%d.db", n)))
	if err != nil {
		return nil, err
	}
	x.open[n] = ix
	var docs []index.Doc
	for _, s := range sessions {
		var p *payload.Payload
		if x.items != nil {
			p = &payload.Payload{Items: x.items[string(s.ID)]}
		}
		docs = append(docs, index.DocOf(s, p, x.corpus.project[s.ID]))
	}
	if err := ix.PutAll(ctx, docs); err != nil {
		return nil, err
	}
	if err := Relate(ctx, ix, docs); err != nil {
		return nil, err
	}
	return ix, ix.Tidy(ctx)
}

// depth is how many results are asked for: enough that the first twenty items
// are among them.
const depth = 100

// printed is how many results are looked at as they are printed: what recall query shows.
const printed = 5

func (x *indexed) answer(ctx context.Context, q Question) (said, error) {
	until, err := q.asOf()
	if err != nil {
		return said{}, err
	}
	ix, err := x.of(ctx, x.corpus.begunBy(until))
	if err != nil {
		return said{}, err
	}
	begun := time.Now()
	found, err := answer.Ask(ctx, ix, x.model, answer.Question{Query: index.Query{Text: q.Q, Until: until}, Most: depth})
	if err = errors.Join(err, found.Fault); err != nil {
		return said{}, err
	}
	a := said{seconds: since(begun), coverage: found.Coverage, refused: found.Verdict == answer.Nothing,
		weak: found.Verdict == answer.Weak}
	for _, r := range found.Results {
		if !slices.Contains(a.sessions, r.Session) {
			a.sessions = append(a.sessions, r.Session)
		}
		if (r.Item != nil) == (x.items != nil) {
			a.results = append(a.results, x.result(r))
		}
	}
	for i, r := range found.Shown[:min(len(found.Shown), printed)] {
		shown := x.result(r)
		switch {
		case r.Item == nil:
			shown.holds, err = x.corpus.holds(ctx, x.judge, q, r.Session, r.TurnID, r.Passage)
		case r.Item.Kind == payload.Lead && len(r.Item.Evidence) > 0:
			shown.holds, err = x.corpus.holds(ctx, x.judge, q, r.Session, r.Item.Evidence[0].Turn, r.Item.Text)
		}
		if err != nil {
			return said{}, err
		}
		shown.text = found.Says(i)
		a.shown = append(a.shown, shown)
	}
	return a, nil
}

// result says what a line of an answer holds.
func (x *indexed) result(r *answer.Result) result {
	if r.Item == nil {
		return result{session: r.Session, holds: quoted(x.quotes[r.Session], r.Text), name: r.Session + "#" + r.TurnID,
			text: r.Text}
	}
	out := result{session: r.Session, name: string(r.Item.ID), text: r.Item.Text}
	if name, ok := x.holds[r.Item.ID]; ok {
		out.holds = []string{name}
	}
	return out
}
