package eval

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"recall/eval/baseline"
	"recall/ingest"
	"recall/payload"
)

// search is one way to answer questions.
type search struct {
	name             string
	model            string
	baseline, oracle bool
	several          bool // answer may be called concurrently
	answer           func(context.Context, Question) (response, error)
	close            func()
}

func sessionOf(name string) string {
	s, _, _ := strings.Cut(name, "#")
	return s
}

// searches returns the ways to answer that are compared, the one under test first.
func searches(ctx context.Context, set *Set, c *Corpus, o Options, r *Run) ([]*search, error) {
	var ours Source
	if name := o.distiller().Name(); o.wants(name) || o.wants(aliasFree) || o.wants(DrawnPassages) {
		var problems []Problem
		var err error
		if ours, problems, err = c.Distilled(ctx, o); err != nil {
			return nil, err
		}
		r.Problems = append(r.Problems, problems...)
	}
	indexed := func(name string, from Source) *search {
		x := c.Indexed(from, o)
		return &search{name: name, answer: x.answer, close: x.Close, several: o.SecondLook != nil}
	}
	like := c.Indexed(ours, o)
	like.model = nil // it prints as much without it
	all := []*search{
		indexed(o.distiller().Name(), ours),
		{name: "OR-BM25 over messages", answer: messageSearch(c, o.judge()), close: func() {}},
		{name: DrawnPassages, answer: like.drawn, close: like.Close},
		indexed("turns only", Source{}),
		indexed("oracle", c.Perfect(nil)),
	}
	if len(set.Others) > 0 {
		all = append(all, indexed("oracle with aliases", c.Perfect(set.Others)))
	}
	all[0].model = o.Model
	if o.Model != "" {
		all = append(all, indexed(aliasFree, ours.withoutAliases()))
	}
	for _, s := range all[1:] {
		s.oracle = strings.HasPrefix(s.name, "oracle")
		s.baseline = !s.oracle
	}
	var names []string
	for _, s := range all {
		names = append(names, s.name)
	}
	chosen := slices.DeleteFunc(all, func(s *search) bool { return !o.wants(s.name) })
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no system is called %s: there are %s", strings.Join(o.Only, ", "),
			strings.Join(names, ", "))
	}
	return chosen, nil
}

func (o Options) wants(name string) bool { return len(o.Only) == 0 || slices.Contains(o.Only, name) }

// aliasFree is the search over a model's items without their aliases: the difference is what aliases bring.
const aliasFree = "without aliases"

// Source is the set of items that is searched.
type Source struct {
	Items map[string][]payload.Item // by session; nil for turns only
	Holds map[payload.ItemID]string // name of the gold item that each is paired with
}

func (from Source) withoutAliases() Source {
	out := Source{map[string][]payload.Item{}, from.Holds}
	for session, list := range from.Items {
		list = slices.Clone(list)
		for i := range list {
			list[i].Aliases = nil
		}
		out.Items[session] = list
	}
	return out
}

// Distilled returns the payload items of all sessions, with ids, and reports the sessions that couldn't be
// distilled.
func (c *Corpus) Distilled(ctx context.Context, o Options) (from Source, problems []Problem, err error) {
	all, err := distillEach(ctx, c.Sessions, o)
	if err != nil {
		return from, nil, err
	}
	pairs := make([][]Pair, len(all))
	err = o.each(ctx, len(all), func(ctx context.Context, i int) (what string, err error) {
		k, p := c.caseOf(string(c.Sessions[i].ID)), all[i].payload
		if k == nil || all[i].err != nil {
			return "", nil
		}
		_, pairs[i], err = k.matchBy(ctx, o.judge(), k.claims(p.Items))
		return k.Session.Title, err
	})
	if err != nil {
		return from, nil, err
	}
	from = Source{map[string][]payload.Item{}, map[payload.ItemID]string{}}
	for i, d := range all {
		id := string(c.Sessions[i].ID)
		if d.err != nil {
			problems = append(problems, Problem{id, "", fmt.Sprintf("not distilled: %v", d.err)})
			continue
		}
		from.Items[id] = d.payload.Items
		for _, pair := range pairs[i] {
			from.Holds[d.payload.Items[pair.Pred].ID] = c.caseOf(id).name(pair.Gold)
		}
	}
	return from, problems, nil
}

// Perfect returns the items that people wrote, with the given aliases.
func (c *Corpus) Perfect(others map[string]Other) Source {
	from := Source{map[string][]payload.Item{}, map[payload.ItemID]string{}}
	for _, k := range c.Cases {
		for _, it := range k.Items(others) {
			from.Items[k.Gold.Session] = append(from.Items[k.Gold.Session], it)
			from.Holds[it.ID] = string(it.ID)
		}
	}
	return from
}

// Items returns what people wrote about the session as a payload would hold it, with the given aliases; an
// item's id is its name, "<session>#<item>".
func (k *Case) Items(others map[string]Other) []payload.Item {
	var out []payload.Item
	at := map[string]ingest.Turn{}
	for _, t := range k.Session.Turns {
		at[string(t.ID)] = t
	}
	for i, g := range k.Gold.Items {
		name := k.name(i)
		it := payload.Item{ID: payload.ItemID(name), Kind: g.Kind, Text: g.Text, Why: g.Why, By: g.By, About: g.About,
			State:   payload.Stands,
			Aliases: slices.Concat(others[name].Aliases, others[name].Asks)}
		if g.Kind == payload.File {
			it.Path = g.path()
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

func messageSearch(c *Corpus, by Judge) func(context.Context, Question) (response, error) {
	made := map[int]*baseline.Messages{}
	return func(ctx context.Context, q Question) (response, error) {
		until, err := q.Until()
		if err != nil {
			return response{}, err
		}
		sessions := c.startedBy(until)
		if made[len(sessions)] == nil {
			made[len(sessions)] = baseline.NewMessages(sessions)
		}
		begun := time.Now()
		found := made[len(sessions)].Search(q.Q)
		a := response{seconds: secondsSince(begun), refused: len(found) == 0}
		for _, m := range found {
			if !slices.Contains(a.sessions, m.Session) {
				a.sessions = append(a.sessions, m.Session)
			}
			if len(a.results) < maxRank {
				a.results = append(a.results, result{m.Session, c.caseOf(m.Session).quotedItems(m.Text),
					m.Session + "#" + string(m.Turn), m.Text})
			}
		}
		for i, shown := range a.results[:min(len(a.results), printed)] {
			shown.holds, err = c.holds(ctx, by, q, shown.session, string(found[i].Turn), shown.text)
			if err != nil {
				return response{}, err
			}
			a.shown = append(a.shown, shown)
		}
		return a, nil
	}
}

// startedBy lists the sessions that had begun by a time, oldest first; all of them for the zero time.
func (c *Corpus) startedBy(until time.Time) []*ingest.Session {
	if until.IsZero() {
		return c.Sessions
	}
	n, _ := slices.BinarySearchFunc(c.Sessions, until,
		func(s *ingest.Session, t time.Time) int { return s.Start.Compare(t) })
	return c.Sessions[:n]
}
