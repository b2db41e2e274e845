package eval

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"
)

// maxRank is the last rank that counts.
const maxRank = 20

// Questions asks the questions of gold sets and reports whether the answers hold what people expect: for recall
// as it is, for the simplest search, and for recall over people's own items instead of distilled ones.
//
// It searches all sessions that lie where the gold sets' transcripts lie. A question with a date is asked of
// the sessions that had begun by then, and finds nothing later. Distilled items have no gold id: a session's
// are paired with its gold items as in Payloads, regardless of kind, and an item holds the gold item it is
// paired with; a message holds the gold items whose quote occurs in it.
func Questions(ctx context.Context, o Options) (*Run, error) {
	r, set, c, err := newRun(ctx, "questions", o)
	if err != nil {
		return nil, err
	}
	asked := set.askable(c, r)
	systems, err := searches(ctx, set, c, o, r)
	if err != nil {
		return nil, err
	}
	for _, s := range systems {
		sys, err := s.ask(ctx, asked, o)
		s.close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		r.Systems = append(r.Systems, sys)
	}
	return r, nil
}

// askable omits, and reports, the questions that need a session whose transcript is missing.
func (set *Set) askable(c *Corpus, r *Run) []Question {
	var out []Question
	for _, q := range set.Questions {
		gone := ""
		for _, name := range q.Expect {
			if s := sessionOf(name); slices.Contains(c.Missing, s) {
				gone = s
			}
		}
		if gone != "" {
			r.Problems = append(r.Problems, Problem{q.File, q.Q, "left out: session " + gone + " has no transcript"})
			continue
		}
		out = append(out, q)
	}
	return out
}

// result is one thing that a search found.
type result struct {
	session string
	holds   []string // names of gold items
	name    string   // of the result itself
	text    string
}

// response is a search's answer to a question.
type response struct {
	results   []result            // ranked: items, or messages where there are no items
	sessions  []string            // in order of their first result
	exchanges []exchangeID        // the same
	answering map[exchangeID]bool // those with evidence for an expected item
	shown     []result            // the first of them, as printed
	refused   bool
	weak      bool
	coverage  float64
	seconds   float64
}

// ask puts all questions to one search.
func (s *search) ask(ctx context.Context, asked []Question, o Options) (System, error) {
	made := make([]QuestionsMade, len(asked))
	if !s.several {
		o.AtOnce = 1
	}
	err := o.each(ctx, len(asked), func(ctx context.Context, i int) (what string, err error) {
		a, err := s.answer(ctx, asked[i])
		if err != nil {
			return "", fmt.Errorf("%q: %w", asked[i].Q, err)
		}
		made[i] = outcomeOf(asked[i], a)
		return s.name, nil
	})
	if err != nil {
		return System{}, err
	}
	return System{Name: s.name, Baseline: s.baseline, Oracle: s.oracle, Model: s.model, Questions: SummedUp(made)}, nil
}

func outcomeOf(q Question, a response) QuestionsMade {
	m := QuestionsMade{ID: q.id(), Q: q.Q, Paraphrase: q.Paraphrase, Expect: q.Expect, Stale: q.Stale, Items: []string{},
		Ranks:   make([]int, len(q.Expect)),
		Refused: a.refused, Weak: a.weak, Coverage: a.coverage, Seconds: a.seconds}
	for i, r := range a.results[:min(maxRank, len(a.results))] {
		name := r.name
		for _, held := range r.holds {
			name = held
			for j, e := range q.Expect {
				if e == held && m.Ranks[j] == 0 {
					m.Ranks[j] = i + 1
				}
			}
		}
		m.Items = append(m.Items, name)
	}
	for i, s := range a.sessions {
		if slices.ContainsFunc(q.Expect, func(name string) bool { return sessionOf(name) == s }) {
			m.SessionAt = i + 1
			break
		}
	}
	m.ExchangeAt = 1 + slices.IndexFunc(a.exchanges, func(e exchangeID) bool { return a.answering[e] })
	if len(a.results) > 0 {
		first := a.results[0]
		m.StaleFirst = holdsAny(first, q.Stale) && !holdsAny(first, q.Expect)
	}
	for i, r := range a.shown {
		if !a.refused && holdsAny(r, q.Expect) {
			m.Answer1 = m.Answer1 || i == 0
			m.Answer5 = true
		}
	}
	if len(a.shown) > 0 {
		m.First = a.shown[0].text
	}
	return m
}

func holdsAny(r result, names []string) bool {
	return slices.ContainsFunc(r.holds, func(h string) bool { return slices.Contains(names, h) })
}

// id identifies a question without revealing it.
func (q Question) id() string {
	sum := sha256.Sum256([]byte(q.AsOf + "\x00" + q.Q))
	return hex.EncodeToString(sum[:6])
}

// secondsSince measures how long something took, in seconds.
func secondsSince(t time.Time) float64 { return time.Since(t).Seconds() }
