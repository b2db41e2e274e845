package main

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"recall/eval"
	"recall/eval/train/data"
	"recall/index"
	"recall/index/rank"
	"recall/payload"
)

// The sources of items.
const (
	ours    = "offline items"
	perfect = "perfect items"
	aliased = "perfect items, aliases"

	// Aliases without the question being asked, for fitting.
	withoutFirst  = "without first"
	withoutSecond = "without second"
)

var sources = []string{ours, perfect, aliased}

// atOnce is how many questions are asked concurrently.
const atOnce = 8

// world is all projects and what people asked about them.
type world struct {
	projects []*project
	asked    []question

	passages bool // fit passages alone
	samples  []sample
}

type project struct {
	*data.Project
	kinds   map[string]payload.Kind  // of gold items
	made    eval.Source              // its offline items
	indexes map[string]*eval.Indexed // by source
}

// question is a question about a project.
type question struct {
	eval.Question
	project *project
	ask     int // 1, 2: made up for an item, not asked by a person
}

// load reads people's projects, if any, and the invented ones.
func load(ctx context.Context, shared, invented string) (*world, error) {
	all, err := data.Load(ctx, shared, invented, data.People, data.Invented)
	if err != nil {
		return nil, err
	}
	w := &world{}
	for _, d := range all {
		p := &project{Project: d, kinds: map[string]payload.Kind{}, indexes: map[string]*eval.Indexed{}}
		w.projects = append(w.projects, p)
		if err := p.index(ctx); err != nil {
			return w, err
		}
		for _, q := range p.Questions {
			w.asked = append(w.asked, question{q, p, 0})
		}
		for _, c := range p.Cases {
			for _, it := range c.Gold.Items {
				id := c.Gold.Session + "#" + it.ID
				p.kinds[id] = it.Kind
				for n, ask := range p.Others[id].Asks[:min(2, len(p.Others[id].Asks))] {
					w.asked = append(w.asked, question{eval.Question{Q: ask, Expect: []string{id}}, p, n + 1})
				}
			}
		}
	}
	return w, nil
}

func (w *world) close() {
	for _, p := range w.projects {
		for _, x := range p.indexes {
			x.Close()
		}
	}
}

// index prepares the searches over a project's items of each source.
func (p *project) index(ctx context.Context) error {
	var problems []eval.Problem
	var err error
	if p.made, problems, err = p.Distilled(ctx, eval.Options{}); err != nil {
		return err
	}
	if len(problems) > 0 {
		return fmt.Errorf("%s: %v", p.Name, problems)
	}
	without := func(n int) eval.Source {
		others := map[string]eval.Other{}
		for id, o := range p.Others {
			if n < len(o.Asks) {
				o.Asks = slices.Delete(slices.Clone(o.Asks), n, n+1)
			}
			others[id] = o
		}
		return p.Perfect(others)
	}
	for name, from := range map[string]eval.Source{ours: p.made, perfect: p.Perfect(nil), aliased: p.Perfect(p.Others),
		withoutFirst: without(0), withoutSecond: without(1)} {
		p.indexes[name] = p.Indexed(from, eval.Options{})
	}
	return nil
}

// use ranks all searches by some weights.
func (w *world) use(weights rank.Weights) {
	for _, p := range w.projects {
		for _, x := range p.indexes {
			x.Use(weights)
		}
	}
}

// ask runs all questions once; neither the features of the second look nor which results are kept depend on its
// weights.
func (w *world) ask(ctx context.Context) error {
	w.use(rank.FirstPass)
	for _, q := range w.asked {
		from := sources
		if q.ask > 0 && w.passages {
			continue
		}
		if q.ask > 0 {
			from = []string{perfect, []string{withoutFirst, withoutSecond}[q.ask-1]}
		}
		for _, source := range from {
			w.samples = append(w.samples, sample{q: q, source: source, person: q.ask == 0})
		}
	}
	for _, p := range w.projects {
		for _, x := range p.indexes {
			x.Query = index.Query{Limit: 80}
		}
	}
	return each(ctx, len(w.samples), func(i int) error { return w.samples[i].look(ctx) })
}

// each runs do n times, several at once.
func each(ctx context.Context, n int, do func(i int) error) error {
	g, _ := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	for i := range n {
		g.Go(func() error { return do(i) })
	}
	return g.Wait()
}
