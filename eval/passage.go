package eval

import (
	"context"
	"slices"

	"recall/eval/baseline"
	"recall/index"
	"recall/index/rank"
	"recall/internal/text"
	"recall/payload"
)

// holds names which of the given gold items a passage of a turn holds: the item's quote occurs in it, or the
// judge matches the passage or one of its sentences to the item.
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
	alike, err := similarities(ctx, by, claims, wants)
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

// holds names the gold items that a question expects or calls stale and that a turn's passage holds.
func (c *Corpus) holds(ctx context.Context, by Judge, q Question, session, turn, passage string) ([]string, error) {
	if k := c.caseOf(session); k != nil {
		return k.holds(ctx, by, turn, passage, slices.Concat(q.Expect, q.Stale))
	}
	return nil, nil
}

// DrawnPassages is the baseline that shows how lenient that is: passages drawn at random from the sessions with
// the answer, as many bytes as are printed for each result. A figure means something only as far as it exceeds
// this one.
const DrawnPassages = "passages drawn at random"

// drawn draws once for each question, as much as the search prints.
func (x *Indexed) drawn(ctx context.Context, q Question) (a response, err error) {
	printed, err := x.answer(ctx, q)
	if err == nil {
		a.shown, err = x.poolFor(q).draw(ctx, printed.shown)
	}
	a.results = a.shown
	return a, err
}

// passagePool is what is drawn from for a question: the turns of the sessions with the answer.
type passagePool struct {
	*Indexed
	q    Question
	from []index.Turn
	of   []string // their sessions
}

func (x *Indexed) poolFor(q Question) *passagePool {
	l := &passagePool{Indexed: x, q: q}
	for _, k := range x.corpus.Cases {
		if !slices.ContainsFunc(q.Expect, func(name string) bool { return sessionOf(name) == k.Gold.Session }) {
			continue
		}
		for _, t := range index.DocOf(k.Session, nil, "").Turns {
			l.from, l.of = append(l.from, t), append(l.of, k.Gold.Session)
		}
	}
	return l
}

// draw draws passages for each printed result, as many bytes as it has; none if no session has the answer.
func (l *passagePool) draw(ctx context.Context, printed []result) (out []result, err error) {
	if len(l.from) == 0 {
		return nil, nil
	}
	random := drawing(l.q.id(), 0)
	for _, like := range printed {
		var r result
		for left := len(like.text); left > 0; {
			i := random.IntN(len(l.from))
			t, session := l.from[i], l.of[i]
			text := around(t.Text, random.IntN(len(t.Text)))
			if len(text) > left && random.Float64() > float64(left)/float64(len(text)) {
				break // the average length stays the same
			}
			left -= len(text)
			held, err := l.corpus.holds(ctx, l.judge, l.q, session, t.ID, text)
			if err != nil {
				return nil, err
			}
			r.session, r.name = session, session+"#"+t.ID
			r.text, r.holds = r.text+text+"\n", append(r.holds, held...)
		}
		out = append(out, r)
	}
	return out, nil
}

// around returns the passage of a turn around a byte offset: as many sentences before and after it as a shown passage
// has room for.
func around(turn string, at int) string {
	parts := rank.Sentences(turn)
	if len(parts) == 0 {
		return turn
	}
	first := 0
	for first+1 < len(parts) && parts[first][1] <= at {
		first++
	}
	last := first
	fits := func(first, last int) bool {
		return first >= 0 && last < len(parts) && parts[last][1]-parts[first][0] <= 700
	}
	for fits(first, last+1) || fits(first-1, last) {
		if fits(first, last+1) {
			last++
		}
		if fits(first-1, last) {
			first--
		}
	}
	return turn[parts[first][0]:parts[last][1]]
}
