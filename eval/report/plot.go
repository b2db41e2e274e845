package report

import (
	"cmp"
	"fmt"
	"slices"

	"recall/answer"
	"recall/eval"
	"recall/payload"
	"recall/text"
)

// plot is one drawing of figures from 0 to 1, with what it says in words. Plots are drawn
// 360 wide, as on a phone at full size; wider screens put two or three side by side.
type plot struct {
	ID, Title, Note string
	Rows            []plotRow
	Legend          []legend
}

// plotRow is a line of a plot: figures beside its name, the first with its interval, the
// others below.
type plotRow struct {
	Name, Note string
	Marks      []marked
	cost       float64 // of the system that the row is of, where it is of one
}

type marked struct {
	mark
	eval.Interval
	Say string // shown on hovering, and to those who can't see it
}

type legend struct {
	mark
	Name, Note string
}

// plotX is where a figure stands on the scale.
func plotX(v float64) string { return fmt.Sprintf("%.4g", 92+min(max(v, 0), 1)*258) }

// plotY is where a row stands; of the one behind the last, where the plot ends.
func plotY(row int) int { return 34 + row*34 }

func plotTicks() []float64 { return []float64{0, 0.25, 0.5, 0.75, 1} }

// rowFigure is a figure of a system; not ok where it has none.
type rowFigure struct {
	name string
	of   func(eval.System) (f eval.Interval, ok bool)
}

func allF1(s eval.System) (eval.Interval, bool) { return s.Payloads.Micro.F1, true }

// kindF1 is a kind's F1 where there are enough items of it.
func kindF1(k payload.Kind) func(eval.System) (eval.Interval, bool) {
	return func(s eval.System) (eval.Interval, bool) {
		r, ok := s.Payloads.Kinds[k]
		return r.F1, ok && !r.Few
	}
}

// mainFigures are those that a run is known by, the first one before all.
func mainFigures(what string) []rowFigure {
	if what == "questions" {
		return askedFigures("hit@1", "hit@5", "answer@1")
	}
	return []rowFigure{{"F1 of all kinds", allF1}, {"decision, F1", kindF1(payload.Decision)},
		{"file, F1", kindF1(payload.File)}}
}

// askedFigures are what of the questions is found, by measure; all without a name.
func askedFigures(names ...string) (all []rowFigure) {
	for _, m := range eval.QuestionMetrics {
		if len(names) == 0 || slices.Contains(names, m.Name) {
			all = append(all, rowFigure{m.Name, func(s eval.System) (eval.Interval, bool) {
				return m.Of(&s.Questions.All), true
			}})
		}
	}
	return all
}

// figuresPlot has a row for each figure of a run's system under test, its baselines beside it.
func figuresPlot(run *eval.Run) *plot {
	p, rows := &plot{Title: "What is found", Note: "Bars are 95 % intervals over questions."}, askedFigures()
	if ours := run.Systems[0].Payloads; ours != nil {
		p.Title = "F1 per kind"
		p.Note = "Bars are 95 % intervals. Kinds with under 10 wanted items are in the table, as counts."
		rows = nil
		for _, k := range payload.Kinds {
			if r, ok := ours.Kinds[k]; ok && !r.Few {
				rows = append(rows, rowFigure{string(k), kindF1(k)})
			}
		}
		rows = append(rows, rowFigure{"all kinds", allF1})
	}
	for _, f := range rows {
		row := plotRow{Name: f.name}
		for i, s := range run.Systems {
			row.mark(i, f, s, f.name+", "+s.Name)
		}
		p.Rows = append(p.Rows, row)
	}
	for i, s := range run.Systems {
		p.Legend = append(p.Legend, legend{mark: markOf(i), Name: s.Name})
	}
	return p
}

// mark puts a system's figure on a row, if it has one.
func (r *plotRow) mark(i int, of rowFigure, s eval.System, what string) {
	if f, ok := of.of(s); ok {
		r.Marks = append(r.Marks, marked{markOf(i), f, fmt.Sprintf("%s: %s (%s)", what, figure(f.Value), span(f))})
	}
}

// costPlot is what is reached for what it costs, the cheapest first: dollars where a
// system costs any, else time.
func costPlot(group []*eval.Run) *plot {
	systems, main := byName(group), mainFigures(group[0].What)[0]
	of, say, name := func(s eval.System) float64 { t, _ := spent(s); return t }, seconds, "time"
	if slices.ContainsFunc(systems, func(s eval.System) bool { _, d := spent(s); return d > 0 }) {
		of, say, name = func(s eval.System) float64 { _, d := spent(s); return d }, dollars, "cost"
	}
	p := &plot{Title: fmt.Sprintf("%s against %s", text.Capital(main.name), name),
		Note: fmt.Sprintf("The cheapest first. Mean %s of a session or question, each system as measured last.", name)}
	for i, s := range systems {
		row := plotRow{Name: say(of(s)), cost: of(s)}
		row.mark(i, main, s, s.Name+", "+row.Name)
		p.Rows = append(p.Rows, row)
		p.Legend = append(p.Legend, legend{markOf(i), s.Name, row.Name})
	}
	slices.SortStableFunc(p.Rows, func(a, b plotRow) int { return cmp.Compare(a.cost, b.cost) })
	return p
}

// spent is what a system takes of time and money.
func spent(s eval.System) (sec, dollars float64) {
	if s.Payloads != nil {
		return s.Payloads.Seconds, s.Payloads.Cost
	}
	return s.Questions.Seconds, s.Questions.Cost
}

// historyPlot is how a group's main figures went from run to run.
func historyPlot(group []*eval.Run) *plot {
	runs := answer.Count(len(group), "run")
	p := &plot{Title: "History", Note: text.Capital(runs) + ", the newest below."}
	if len(group) == 1 {
		p.Note = "One run so far: name more run files and they appear here."
	}
	figures := mainFigures(group[0].What)
	for _, r := range group {
		row := plotRow{Name: r.At.UTC().Format("Jan 2"), Note: clipRev(r.Revision)}
		for i, f := range figures {
			row.mark(i, f, r.Systems[0], f.name+", "+day(r.At))
		}
		p.Rows = append(p.Rows, row)
	}
	for i, f := range figures {
		p.Legend = append(p.Legend, legend{mark: markOf(i), Name: f.name})
	}
	return p
}
