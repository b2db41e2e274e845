package eval

import (
	"fmt"
	"strings"

	"recall/payload"
)

// A Count is what precision and recall are made of. Gold items that are fair
// to leave, and what was predicted for them, count on neither side.
type Count struct {
	Hits   int // predicted and wanted
	Pred   int // predicted, without those that match a neutral gold item
	Wanted int // gold items with must
}

// Precision is 1 where nothing was predicted.
func (c Count) Precision() float64 {
	if c.Pred == 0 {
		return 1
	}
	return float64(c.Hits) / float64(c.Pred)
}

// Recall is 1 where nothing was wanted.
func (c Count) Recall() float64 {
	if c.Wanted == 0 {
		return 1
	}
	return float64(c.Hits) / float64(c.Wanted)
}

// F1 is the harmonic mean of both.
func (c Count) F1() float64 {
	p, r := c.Precision(), c.Recall()
	if p+r == 0 {
		return 0
	}
	return 2 * p * r / (p + r)
}

func (c Count) plus(d Count) Count {
	return Count{c.Hits + d.Hits, c.Pred + d.Pred, c.Wanted + d.Wanted}
}

// A Score holds the counts of one or more sessions.
type Score struct {
	Kinds    map[payload.Kind]Count // strict
	Micro    Count                  // strict, all kinds
	Lenient  Count                  // all kinds, a fact of another kind counts too
	Sessions int
}

// Score holds a payload's items against the session's gold set.
func (c *Case) Score(items []payload.Item) Score {
	sc := Score{Kinds: map[payload.Kind]Count{}, Sessions: 1}
	kindOf := func(i int) payload.Kind { return items[i].Kind }
	sc.Kinds = counts(items, c.Gold, c.Match(items, true), kindOf)
	for _, n := range sc.Kinds {
		sc.Micro = sc.Micro.plus(n)
	}
	all := func(int) payload.Kind { return "" }
	for _, n := range counts(items, c.Gold, c.Match(items, false), all) {
		sc.Lenient = sc.Lenient.plus(n)
	}
	return sc
}

// counts tallies pairs by the group of the predicted item; gold items without
// a pair count for their own kind.
func counts(items []payload.Item, gold *Gold, pairs []Pair, group func(int) payload.Kind) map[payload.Kind]Count {
	m := map[payload.Kind]Count{}
	neutral := map[int]bool{}
	for _, p := range pairs {
		if !gold.Items[p.Gold].Must {
			neutral[p.Pred] = true
			continue
		}
		c := m[group(p.Pred)]
		c.Hits++
		m[group(p.Pred)] = c
	}
	for i := range items {
		if neutral[i] {
			continue
		}
		c := m[group(i)]
		c.Pred++
		m[group(i)] = c
	}
	for _, g := range gold.Items {
		if g.Must {
			c := m[g.Kind]
			c.Wanted++
			m[g.Kind] = c
		}
	}
	return m
}

// Add puts another score's counts to this one's.
func (s *Score) Add(o Score) {
	if s.Kinds == nil {
		s.Kinds = map[payload.Kind]Count{}
	}
	for k, c := range o.Kinds {
		s.Kinds[k] = s.Kinds[k].plus(c)
	}
	s.Micro, s.Lenient = s.Micro.plus(o.Micro), s.Lenient.plus(o.Lenient)
	s.Sessions += o.Sessions
}

// Table is the score for people, a line a kind.
func (s *Score) Table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-11s %6s %6s %6s  %5s %5s %5s\n", "kind", "P", "R", "F1", "hits", "pred", "must")
	row := func(name string, c Count) {
		fmt.Fprintf(&b, "%-11s %6.3f %6.3f %6.3f  %5d %5d %5d\n", name, c.Precision(), c.Recall(), c.F1(), c.Hits, c.Pred, c.Wanted)
	}
	for _, k := range payload.Kinds {
		if c, ok := s.Kinds[k]; ok {
			row(string(k), c)
		}
	}
	row("micro", s.Micro)
	row("lenient", s.Lenient)
	return b.String()
}
