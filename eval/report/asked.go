package report

import (
	"fmt"

	"recall/eval"
)

type askedQuestion struct {
	eval.QuestionsMade
	State, Sign, Say string
}

func askedTiles(s *eval.QuestionScore) []tile {
	all := &s.All
	return []tile{
		{"hit@1", figure(all.Hit1.Value), span(all.Hit1), "the first result is an expected item"},
		{"hit@5", figure(all.Hit5.Value), span(all.Hit5), "one of the first five is"},
		{"answer@1", figure(all.Answer1.Value), span(all.Answer1), "the first thing printed holds the answer"},
		{"Says nothing", kofn(s.Abstained), among(s.Abstained), "questions without an answer, told so"},
	}
}

// among is the interval of a share, "" without a whole.
func among(k eval.KofN) string {
	if k.N == 0 {
		return ""
	}
	return span(eval.Interval{Low: k.Low, High: k.High})
}

// judged says how one question was answered.
func judged(q eval.QuestionsMade) askedQuestion {
	a := askedQuestion{QuestionsMade: q}
	switch best := q.Best(); {
	case len(q.Expect) == 0 && q.Refused:
		a.State, a.Sign, a.Say = matched, "✓", "no answer, and said so"
	case len(q.Expect) == 0:
		a.State, a.Sign, a.Say = wrong, "✗", "no answer, and one was given"
	case q.Refused:
		a.State, a.Sign, a.Say = missed, "○", "answered “nothing”"
	case best == 1:
		a.State, a.Sign, a.Say = matched, "✓", "first"
	case best > 0:
		a.State, a.Sign, a.Say = other, "≈", fmt.Sprintf("at rank %d", best)
	default:
		a.State, a.Sign, a.Say = missed, "○", "not among the first 20"
	}
	if q.StaleFirst {
		a.State, a.Sign, a.Say = wrong, "✗", a.Say+"; a superseded item came first"
	}
	return a
}
