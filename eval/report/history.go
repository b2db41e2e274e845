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
	type series struct {
		name string
		of   func(eval.System) (eval.Interval, bool)
	}
	kind := func(k payload.Kind) func(eval.System) (eval.Interval, bool) {
		return func(s eval.System) (eval.Interval, bool) {
			r, ok := s.Payloads.Kinds[k]
			return r.F1, ok && !r.Few
		}
	}
	all := []series{
		{"all kinds, F1", func(s eval.System) (eval.Interval, bool) { return s.Payloads.Micro.F1, true }},
		{"decision, F1", kind(payload.Decision)},
		{"file, F1", kind(payload.File)},
	}
	if group[0].Systems[0].Questions != nil {
		all = []series{
			{"hit@1", func(s eval.System) (eval.Interval, bool) { return s.Questions.All.Hit1, true }},
			{"hit@5", func(s eval.System) (eval.Interval, bool) { return s.Questions.All.Hit5, true }},
			{"answer@1", func(s eval.System) (eval.Interval, bool) { return s.Questions.All.Answer1, true }},
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
			if len(r.Systems) > 0 && (r.Systems[0].Payloads != nil || r.Systems[0].Questions != nil) {
				f, ok = s.of(r.Systems[0])
			}
			if !ok {
				last = nil
				continue
			}
			at := point{x.at(float64(j)), y.at(f.Value), markOf(i), i == 0,
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
		p.Legend = append(p.Legend, legend{Mark: markOf(i), Ours: i == 0, Name: s.name})
	}
	for _, j := range shown(len(group)) {
		p.text(x.at(float64(j)), 229, group[j].At.UTC().Format("Jan 2"), "middle", "tick")
		if rev := group[j].Revision; rev != "" {
			p.text(x.at(float64(j)), 243, clipRev(rev), "middle", "tick")
		}
	}
	return p
}

// shown are the runs whose date fits below the axis: at most four.
func shown(n int) []int {
	if n <= 4 {
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		return all
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
