package main

import (
	"context"
	"fmt"
	"slices"

	"recall/index"
	"recall/index/rank"
)

// variant is a search whose second look doesn't see some features.
type variant struct {
	name  string
	blind []int
	first bool // first pass only
}

var variants = []variant{
	{name: "all"},
	{name: "blind to source turns", blind: []int{rank.Source}},
	{name: "blind to aliases", blind: []int{rank.Alias, rank.LikeAlias, rank.InAliases}},
	{name: "blind to the lexicon", blind: []int{rank.Lexicon, rank.Kindred, rank.Concepts,
		rank.OtherWords, rank.PassageLexicon, rank.PassageKindred}},
	{name: "without the second look", first: true},
	{name: "blind to kinds", blind: []int{rank.Asked, rank.Tried, rank.Why, rank.OfFile, rank.OfStatus, rank.OfGoal,
		rank.OfNext, rank.OfOpen, rank.OfFlag, rank.OfEliminated}},
	{name: "blind to the session", blind: []int{rank.Support, rank.PassageSupport}},
	{name: "blind to maker and person", blind: []int{rank.Sure, rank.Person, rank.Human}},
	{name: "blind to the exchange", blind: []int{rank.PassageBefore, rank.PassageClosing}},
	{name: "blind to likeness", blind: []int{rank.Like, rank.Alias, rank.LikeText, rank.LikeAlias}},
	{name: "blind to the other items", blind: []int{rank.Whole, rank.InText, rank.LikeText, rank.LikeAlias,
		rank.InAliases, rank.Concepts, rank.OtherWords, rank.Company, rank.PassageBeside}},
}

// ablate prints what each part contributes on people's projects, or on the invented ones if there are no
// others. Each variant's weights are fitted to all other projects, so that the remaining features can make up
// for the missing ones.
func (w *world) ablate(ctx context.Context) error {
	if err := w.ask(ctx); err != nil {
		return err
	}
	out := table()
	fmt.Fprintln(out, heads)
	for _, v := range variants {
		for _, p := range w.projects {
			if !p.Real() && w.projects[0].Real() {
				continue
			}
			weights := rank.FirstPass
			if !v.first {
				weights = fit(blinded(w.of(func(of *project) bool { return of != p }), v.blind))
			}
			for _, f := range v.blind {
				weights[f] = 0
			}
			w.use(weights)
			for _, source := range sources {
				score, err := p.measure(ctx, source, index.Query{})
				if err != nil {
					return err
				}
				fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", p.Name, source, v.name, row(score))
			}
		}
	}
	return out.Flush()
}

// blinded returns the samples without some features.
func blinded(samples []sample, features []int) []sample {
	var out []sample
	for _, s := range samples {
		s.lines = slices.Clone(s.lines)
		for i := range s.lines {
			for _, f := range features {
				s.lines[i].Look[f] = 0
			}
		}
		out = append(out, s)
	}
	return out
}
