package eval

import (
	"slices"

	"recall/payload"
)

// Count is what precision and recall are computed from. Optional gold items, and predictions that match them,
// don't count.
type Count struct {
	Hits   int `json:"hits"`   // predicted and wanted
	Pred   int `json:"pred"`   // predicted, without those that match an optional gold item
	Wanted int `json:"wanted"` // gold items with must
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

// Plus adds two counts.
func (c Count) Plus(d Count) Count {
	return Count{c.Hits + d.Hits, c.Pred + d.Pred, c.Wanted + d.Wanted}
}

// A Score holds the counts of a session.
type Score struct {
	Kinds   map[payload.Kind]Count // strict
	Micro   Count                  // strict, all kinds
	Lenient Count                  // all kinds, a fact of another kind counts too
}

// scoreOf counts one session from the kinds of the predictions, the gold items, and the pairs of both.
func scoreOf(kinds []payload.Kind, gold []GoldItem, strict, lenient []Pair) Score {
	sc := Score{Kinds: counts(goldKinds(kinds, gold, strict, lenient), gold, strict)}
	delete(sc.Kinds, neutralKind)
	delete(sc.Kinds, payload.Lead) // claims nothing: counted only regardless of kind
	for _, n := range sc.Kinds {
		sc.Micro = sc.Micro.Plus(n)
	}
	unsorted := sc.Kinds[""].Pred // wrong and of no stated kind: wrong in each
	delete(sc.Kinds, "")
	if unsorted > 0 {
		for _, kind := range payload.Kinds {
			n := sc.Kinds[kind]
			n.Pred += unsorted
			sc.Kinds[kind] = n
		}
	}
	none := make([]payload.Kind, len(kinds))
	for _, n := range counts(none, gold, lenient) {
		sc.Lenient = sc.Lenient.Plus(n)
	}
	return sc
}

// neutralKind is a pseudo-kind for what doesn't count.
const neutralKind payload.Kind = "fair"

// goldKinds maps predicted kinds to those of gold sets, which have no findings: a finding that matches a gold
// hypothesis is one, and one that repeats another gold item doesn't count.
func goldKinds(kinds []payload.Kind, gold []GoldItem, strict, lenient []Pair) []payload.Kind {
	out := slices.Clone(kinds)
	for _, p := range lenient {
		if out[p.Pred] == payload.Finding && gold[p.Gold].Kind != payload.Finding {
			out[p.Pred] = neutralKind
		}
	}
	for _, p := range strict {
		out[p.Pred] = gold[p.Gold].Kind
	}
	return out
}

// counts tallies pairs by the kind of the predicted item; gold items without a pair count for their own kind.
func counts(kinds []payload.Kind, gold []GoldItem, pairs []Pair) map[payload.Kind]Count {
	m := map[payload.Kind]Count{}
	add := func(kind payload.Kind, c Count) { m[kind] = m[kind].Plus(c) }
	neutral := map[int]bool{}
	for _, p := range pairs {
		if gold[p.Gold].Must {
			add(kinds[p.Pred], Count{Hits: 1})
		} else {
			neutral[p.Pred] = true
		}
	}
	for i, kind := range kinds {
		if !neutral[i] {
			add(kind, Count{Pred: 1})
		}
	}
	for _, g := range gold {
		if g.Must {
			add(g.Kind, Count{Wanted: 1})
		}
	}
	return m
}
