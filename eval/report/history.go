package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"recall/answer"
	"recall/eval"
	"recall/payload"
)

// historyPlot is how a group's main figures went from run to run.
func historyPlot(group []*eval.Run) *plot {
	all := []rowFigure{{"all kinds, F1", allF1}, {"decision, F1", telling(payload.Decision)},
		{"file, F1", telling(payload.File)}}
	if group[0].Systems[0].Questions != nil {
		all = []rowFigure{
			{"hit@1", askedFigure(func(q *eval.QuestionRates) eval.Interval { return q.Hit1 })},
			{"hit@5", askedFigure(func(q *eval.QuestionRates) eval.Interval { return q.Hit5 })},
			{"answer@1", askedFigure(func(q *eval.QuestionRates) eval.Interval { return q.Answer1 })},
		}
	}
	p := &plot{Title: "History", Height: 250, Note: fmt.Sprintf("%s, the newest at the right.",
		upper(answer.Count(len(group), "run")))}
	if len(group) == 1 {
		p.Note = "One run so far: name more run files and they appear here."
	}
	y := p.upwards()
	x := scale{0, float64(len(group) - 1), 58, right - 22, false}
	for i, s := range all {
		var low, high []string
		var last *point
		for j, r := range group {
			f, ok := eval.Interval{}, false
			if len(r.Systems) > 0 {
				f, ok = s.of(r.Systems[0])
			}
			if !ok {
				last = nil
				continue
			}
			at := point{markOf(i), x.at(float64(j)), y.at(f.Value),
				fmt.Sprintf("%s, %s: %s (%s)", s.name, day(r.At), figure(f.Value), span(f))}
			if last != nil {
				p.Lines = append(p.Lines, line{last.X, last.Y, at.X, at.Y, fmt.Sprintf("trend s%d", i)})
			}
			p.Points = append(p.Points, at)
			p.Desc += at.Say + ". "
			last = &at
			if i == 0 {
				low = append(low, px(at.X)+","+px(y.at(f.Low)))
				high = append([]string{px(at.X) + "," + px(y.at(f.High))}, high...)
			}
		}
		if i == 0 && len(low) > 1 {
			p.Bands = append(p.Bands, strings.Join(append(low, high...), " "))
		}
		p.Legend = append(p.Legend, legend{mark: markOf(i), Name: s.name})
	}
	for _, j := range shown(len(group)) {
		p.text(x.at(float64(j)), 229, group[j].At.UTC().Format("Jan 2"), "middle", "tick")
		if rev := group[j].Revision; rev != "" {
			p.text(x.at(float64(j)), 243, clipRev(rev), "middle", "tick")
		}
	}
	return p
}

// telling is a kind's F1 where there are enough items of it.
func telling(k payload.Kind) func(eval.System) (eval.Interval, bool) {
	return func(s eval.System) (eval.Interval, bool) {
		f, ok := kindF1(k)(s)
		return f, ok && !s.Payloads.Kinds[k].Few
	}
}

// shown are the runs whose date fits below the axis: at most four.
func shown(n int) []int {
	if n <= 4 {
		return []int{0, 1, 2, 3}[:n]
	}
	return []int{0, n / 3, 2 * n / 3, n - 1}
}

// clipRev shortens a revision and keeps the mark of a changed tree.
func clipRev(rev string) string {
	hash, changed := strings.CutSuffix(rev, "+")
	hash = hash[:min(len(hash), 7)]
	if changed {
		return hash + "+"
	}
	return hash
}

func upper(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
