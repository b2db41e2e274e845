package report

import (
	"fmt"

	"recall/eval"
)

// askedView is a run over questions.
type askedView struct {
	Measures  []string // heads of the table
	Systems   []askedRow
	Questions []askedQuestion
}

type askedRow struct {
	Name, Mark                string
	Ours                      bool
	All                       []cell
	Plain, Paraphrased        []cell
	PlainN, ParaphrasedN      int
	Stale, Abstained, Refused eval.KofN
	Time                      string
}

type cell struct {
	Name string
	eval.Interval
}

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
		{"Says nothing", kofn(s.Abstained), counts(s.Abstained), "questions without an answer, told so"},
	}
}

// counts is the interval of a share, "" without a whole.
func counts(k eval.KofN) string {
	if k.N == 0 {
		return ""
	}
	return figure(k.Low) + "–" + figure(k.High)
}

func viewAsked(run *eval.Run) *askedView {
	v := &askedView{}
	for _, m := range eval.QuestionMetrics {
		v.Measures = append(v.Measures, m.Name)
	}
	for i, s := range run.Systems {
		q := s.Questions
		if q == nil {
			continue
		}
		v.Systems = append(v.Systems, askedRow{Name: s.Name, Mark: markOf(i), Ours: i == 0,
			All: cells(&q.All), Plain: cells(&q.Plain), Paraphrased: cells(&q.Paraphrased), PlainN: q.Plain.N,
			ParaphrasedN: q.Paraphrased.N,
			Stale:        q.Stale, Abstained: q.Abstained, Refused: q.Refused, Time: seconds(q.Seconds)})
	}
	for _, q := range run.Systems[0].Questions.Questions {
		v.Questions = append(v.Questions, judged(q))
	}
	return v
}

func cells(r *eval.QuestionRates) []cell {
	var all []cell
	for _, m := range eval.QuestionMetrics {
		all = append(all, cell{m.Name, m.Of(r)})
	}
	return all
}

// judged says how one question was answered.
func judged(q eval.QuestionsMade) askedQuestion {
	a := askedQuestion{QuestionsMade: q}
	best := 0
	for _, r := range q.Ranks {
		if r > 0 && (best == 0 || r < best) {
			best = r
		}
	}
	switch {
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
