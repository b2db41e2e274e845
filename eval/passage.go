package eval

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"recall/eval/baseline"
	"recall/index"
	"recall/index/rank"
	"recall/payload"
	"recall/text"
)

// holds names those of some gold items of the session, given by their names, that a
// passage of a turn holds: what people quoted of the item stands in it, or the judge
// takes it, or a sentence of it, for the item.
func (c *Case) holds(ctx context.Context, by Judge, turn, passage string, names []string) ([]string, error) {
	var asked []int
	var wants []Claim
	for j, g := range c.Gold.Items {
		if slices.Contains(names, c.name(j)) {
			asked, wants = append(asked, j), append(wants, wanted(g, c.turns))
		}
	}
	if len(asked) == 0 {
		return nil, nil
	}
	var claims []Claim
	for _, said := range append(baseline.Statements(passage), passage) {
		claims = append(claims, Claim{Kind: payload.Lead, Text: said, Turns: []string{canonical(turn, c.turns)}})
	}
	alike, err := judged(ctx, by, claims, wants)
	if err != nil {
		return nil, err
	}
	var held []string
	for k, j := range asked {
		holds := c.quotedIn(j, text.OneLine(passage))
		for i := range claims {
			holds = holds || alike[i][k] >= by.Threshold()
		}
		if holds {
			held = append(held, c.name(j))
		}
	}
	return held, nil
}

// holds names the gold items that a question expects, or calls stale, and a passage of
// a session's turn holds.
func (c *Corpus) holds(ctx context.Context, by Judge, q Question, session, turn, passage string) ([]string, error) {
	if k := c.caseOf(session); k != nil {
		return k.holds(ctx, by, turn, passage, slices.Concat(q.Expect, q.Stale))
	}
	return nil, nil
}

// DrawnPassages is the baseline that shows how lenient that is: passages drawn at
// random from the sessions that hold the answer, as long as those that are shown. A
// figure says something only as far as it is above what these reach.
const DrawnPassages = "passages drawn at random"

func (c *Corpus) drawn(by Judge) func(context.Context, Question) (said, error) {
	return func(ctx context.Context, q Question) (a said, err error) {
		var from []index.Turn
		var of []string // their sessions
		for _, k := range c.Cases {
			if !slices.ContainsFunc(q.Expect, func(name string) bool { return sessionOf(name) == k.Gold.Session }) {
				continue
			}
			for _, t := range index.DocOf(k.Session, nil, "").Turns {
				from, of = append(from, t), append(of, k.Gold.Session)
			}
		}
		seed := fnv.New64a()
		seed.Write([]byte(q.id()))
		random := rand.New(rand.NewPCG(seed.Sum64(), 0))
		for range min(printed, printed*len(from)) { // none where nothing answers
			i := random.IntN(len(from))
			t := from[i]
			r := result{session: of[i], name: of[i] + "#" + t.ID, text: rank.Around(t.Text, random.IntN(len(t.Text)))}
			if r.holds, err = c.holds(ctx, by, q, r.session, t.ID, r.text); err != nil {
				return said{}, err
			}
			a.results = append(a.results, r)
		}
		a.shown = a.results
		return a, nil
	}
}
