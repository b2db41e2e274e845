package report

import (
	"fmt"
	"math"
	"slices"

	"recall/eval"
	"recall/payload"
)

// Plots are drawn 360 wide, as on a phone at full size; wider screens put two
// or three side by side.
const (
	plotWidth = 360.0
	right     = 350.0 // where the scale of a plot ends
	rowHeight = 34.0
)

// plot is one drawing with what it says in words.
type plot struct {
	ID, Title, Note string
	Desc            string // for those who can't see it
	Height          float64
	Lines           []line
	Bands           []string // polygons' points
	Points          []point
	Labels          []label
	Legend          []legend
}

type line struct {
	X1, Y1, X2, Y2 float64
	Class          string
}

type point struct {
	mark
	X, Y float64
	Say  string // shown on hovering
}

type label struct {
	X, Y   float64
	Text   string
	Anchor string // start, middle, end
	Class  string
}

type legend struct {
	mark
	Name, Note string
}

// scale maps values onto pixels.
type scale struct {
	from, to float64
	a, b     float64 // pixels
	log      bool
}

func (s scale) at(x float64) float64 {
	lo, hi := s.from, s.to
	if s.log {
		x, lo, hi = math.Log10(max(x, s.from)), math.Log10(lo), math.Log10(hi)
	}
	if hi == lo {
		return (s.a + s.b) / 2
	}
	return s.a + (min(max(x, lo), hi)-lo)/(hi-lo)*(s.b-s.a)
}

// rowFigures are the rows of a plot: a figure each, of whatever system has it.
type rowFigures struct {
	title, note string
	rows        []rowFigure
}

type rowFigure struct {
	name string
	of   func(eval.System) (f eval.Interval, ok bool)
}

// kindFigures are F1 per kind.
func kindFigures(ours *eval.PayloadScore) rowFigures {
	all := rowFigures{title: "F1 per kind",
		note: "Bars are 95 % intervals. Kinds with under 10 wanted items are in the table, as counts."}
	for _, k := range payload.Kinds {
		if r, ok := ours.Kinds[k]; ok && !r.Few {
			all.rows = append(all.rows, rowFigure{string(k), kindF1(k)})
		}
	}
	all.rows = append(all.rows, rowFigure{"all kinds", allF1})
	return all
}

// askedFigures are what of the questions is found, by measure.
func askedFigures() rowFigures {
	all := rowFigures{title: "What is found", note: "Bars are 95 % intervals over questions."}
	for _, m := range eval.QuestionMetrics {
		all.rows = append(all.rows, rowFigure{m.Name,
			askedFigure(func(q *eval.QuestionRates) eval.Interval { return m.Of(q) })})
	}
	return all
}

func allF1(s eval.System) (eval.Interval, bool) {
	if s.Payloads == nil {
		return eval.Interval{}, false
	}
	return s.Payloads.Micro.F1, true
}

func kindF1(k payload.Kind) func(eval.System) (eval.Interval, bool) {
	return func(s eval.System) (eval.Interval, bool) {
		if s.Payloads == nil {
			return eval.Interval{}, false
		}
		r, ok := s.Payloads.Kinds[k]
		return r.F1, ok
	}
}

func askedFigure(of func(*eval.QuestionRates) eval.Interval) func(eval.System) (eval.Interval, bool) {
	return func(s eval.System) (eval.Interval, bool) {
		if s.Questions == nil {
			return eval.Interval{}, false
		}
		return of(&s.Questions.All), true
	}
}

// figuresPlot is a row a figure, with its interval; baselines stand below the line in
// their own shapes.
func figuresPlot(run *eval.Run, all rowFigures) *plot {
	p := &plot{Title: all.title, Note: all.note}
	p.across(92, len(all.rows))
	x := scale{0, 1, 92, right, false}
	for i, row := range all.rows {
		y := 24 + float64(i)*rowHeight
		p.text(86, y+4, row.name, "end", "name")
		for j, s := range run.Systems {
			f, ok := row.of(s)
			if !ok {
				continue
			}
			p.mark(x, f, y, j, row.name+", "+s.Name)
			if j == 0 {
				p.Desc += fmt.Sprintf("%s %s (%s). ", row.name, figure(f.Value), span(f))
			}
		}
	}
	for i, s := range run.Systems {
		p.Legend = append(p.Legend, legend{mark: markOf(i), Name: s.Name})
	}
	return p
}

// across draws a scale from 0 to 1 above rows.
func (p *plot) across(from float64, rows int) {
	p.Height = 34 + float64(rows)*rowHeight
	x := scale{0, 1, from, right, false}
	for _, v := range []float64{0, 0.25, 0.5, 0.75, 1} {
		p.Lines = append(p.Lines, line{x.at(v), 8, x.at(v), p.Height - 22, "grid"})
		p.text(x.at(v), p.Height-7, fmt.Sprintf("%.4g", v), "middle", "tick")
	}
}

// mark puts system j's figure on the line at y; ours with its interval, the
// others smaller, below.
func (p *plot) mark(x scale, f eval.Interval, y float64, j int, what string) {
	say := fmt.Sprintf("%s: %s (%s)", what, figure(f.Value), span(f))
	if j == 0 {
		p.Lines = append(p.Lines, line{x.at(f.Low), y, x.at(f.High), y, "interval"})
		p.Points = append(p.Points, point{markOf(0), x.at(f.Value), y, say})
		return
	}
	p.Points = append(p.Points, point{markOf(j), x.at(f.Value), y + 12, say})
}

func (p *plot) text(x, y float64, s, anchor, class string) {
	p.Labels = append(p.Labels, label{x, y, s, anchor, class})
}

// costPlot is what is reached against what it costs: dollars where a system
// costs any, else time.
func costPlot(group []*eval.Run) *plot {
	systems := byName(group)
	cost, name, per := seconds, "time", "session"
	of := func(s eval.System) float64 { t, _ := spent(s); return t }
	if slices.ContainsFunc(systems, func(s eval.System) bool { _, d := spent(s); return d > 0 }) {
		cost, name = dollars, "cost"
		of = func(s eval.System) float64 { _, d := spent(s); return d }
	}
	main, _ := mainFigure(systems[0])
	if systems[0].Questions != nil {
		per = "question"
	}
	p := &plot{Title: fmt.Sprintf("%s against %s", upper(main), name), Height: 250,
		Note: fmt.Sprintf("Upwards is better, to the left is cheaper. Mean %s of a %s, each system as measured last.", name,
			per)}
	y := p.upwards()
	x, ticks := costScale(systems, of)
	for _, t := range ticks {
		p.Lines = append(p.Lines, line{x.at(t), 212, x.at(t), 216, "axis"})
		p.text(x.at(t), 229, cost(t), "middle", "tick")
	}
	p.text((x.a+x.b)/2, 245, fmt.Sprintf("%s a %s", name, per), "middle", "tick")
	for i, s := range systems {
		_, f := mainFigure(s)
		say := fmt.Sprintf("%s: %s %s (%s), %s", s.Name, main, figure(f.Value), span(f), cost(of(s)))
		at := x.at(of(s))
		p.Lines = append(p.Lines, line{at, y.at(f.Low), at, y.at(f.High), "interval thin"})
		p.Points = append(p.Points, point{markOf(i), at, y.at(f.Value), say})
		p.Legend = append(p.Legend, legend{markOf(i), s.Name, figure(f.Value) + ", " + cost(of(s))})
		p.Desc += say + ". "
	}
	return p
}

// spent is what a system takes of time and money.
func spent(s eval.System) (sec, dollars float64) {
	switch {
	case s.Payloads != nil:
		return s.Payloads.Seconds, s.Payloads.Cost
	case s.Questions != nil:
		return s.Questions.Seconds, s.Questions.Cost
	}
	return 0, 0
}

// costScale spans what systems take; by powers of ten where they are far apart.
func costScale(systems []eval.System, of func(eval.System) float64) (scale, []float64) {
	var lo, hi float64
	for _, s := range systems {
		v := of(s)
		hi = max(hi, v)
		if v > 0 && (lo == 0 || v < lo) {
			lo = v
		}
	}
	if hi == 0 {
		return scale{0, 1, 48, right - 24, false}, []float64{0}
	}
	if hi/lo < 20 {
		return scale{0, hi * 1.1, 48, right - 10, false}, []float64{0, round1(hi / 2), round1(hi)}
	}
	from, to := math.Floor(math.Log10(lo)), math.Ceil(math.Log10(hi))
	step := math.Ceil((to - from) / 4)
	var ticks []float64
	for e := from; e <= to; e += step {
		ticks = append(ticks, math.Pow(10, e))
	}
	return scale{math.Pow(10, from), math.Pow(10, to), 58, right - 20, true}, ticks
}

// round1 keeps one digit that says something.
func round1(x float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(x)))
	return math.Round(x/unit*10) / 10 * unit
}

// upwards draws a scale from 0 to 1 at the left.
func (p *plot) upwards() scale {
	y := scale{0, 1, 208, 14, false}
	for _, v := range []float64{0, 0.25, 0.5, 0.75, 1} {
		p.Lines = append(p.Lines, line{38, y.at(v), right, y.at(v), "grid"})
		p.text(32, y.at(v)+4, fmt.Sprintf("%.4g", v), "end", "tick")
	}
	return y
}
