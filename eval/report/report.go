// Package report shows run files of package eval: as tables at a terminal, or as one HTML page: figures with
// their intervals, and behind each the items that it counts, gold beside
// predicted with the evidence of both. The page is complete in itself: no
// script, nothing fetched, so it can be mailed, kept and read without a network.
package report

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"slices"
	"sync"

	"recall/answer"
	"recall/eval"
	"recall/sink"
)

//go:embed page.css
var css string

//go:embed page.html
var pageHTML string

// pageTemplate is parsed when it is first asked for: few runs of the program do.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"figure": figure, "span": span, "kofn": kofn, "among": among, "px": px, "short": shortID, "day": day,
		"plural": answer.Count, "rev": clipRev, "seconds": seconds, "dollars": dollars, "mark": markOf, "judged": judged,
		"kinds": kindRows, "sessions": sessionViews, "measures": func() []eval.QuestionMetric { return eval.QuestionMetrics },
	}).Parse(pageHTML))
})

// page is what the template shows.
type page struct {
	CSS      template.CSS
	Title    string
	Chapters []*chapter
}

// A chapter is about one gold set and one kind of run: its newest run in full,
// those before it as history.
type chapter struct {
	ID      string // anchor
	Run     *eval.Run
	Title   string
	Tiles   []tile
	Plots   []*plot
	History []past // newest first, the run itself among them
}

// tile is one figure of a chapter's head.
type tile struct{ Name, Value, Beside, Note string }

// HTML writes the page about runs, which may be in any order. There must be at
// least one; two of the same time are told apart by their order.
func HTML(w io.Writer, runs []*eval.Run) error {
	if len(runs) == 0 {
		return errors.New("no run to report")
	}
	p := page{CSS: template.CSS(css), Title: "recall eval"}
	for i, group := range groups(runs) {
		c, err := newChapter(group)
		if err != nil {
			return err
		}
		c.ID = fmt.Sprintf("c%d", i+1)
		for j, plot := range c.Plots {
			plot.ID = fmt.Sprintf("%sp%d", c.ID, j+1)
		}
		p.Chapters = append(p.Chapters, c)
	}
	var b bytes.Buffer
	if err := pageTemplate().Execute(&b, p); err != nil {
		return err
	}
	_, err := io.WriteString(w, sink.Page(b.String(), sink.HTML))
	return err
}

// groups sorts runs into those of one gold set and kind, oldest first in each;
// groups stand in the order in which they were given.
func groups(runs []*eval.Run) [][]*eval.Run {
	at := map[string]int{}
	var all [][]*eval.Run
	for _, r := range runs {
		key := r.What + "\x00" + r.Gold.Name
		i, known := at[key]
		if !known {
			i = len(all)
			at[key] = i
			all = append(all, nil)
		}
		all[i] = append(all[i], r)
	}
	for _, g := range all {
		slices.SortStableFunc(g, func(a, b *eval.Run) int { return a.At.Compare(b.At) })
	}
	return all
}

func newChapter(group []*eval.Run) (*chapter, error) {
	run := group[len(group)-1]
	if len(run.Systems) == 0 {
		return nil, fmt.Errorf("the run of %s on %s measured nothing", day(run.At), run.Gold.Name)
	}
	c := &chapter{Run: run, History: history(group)}
	ours := run.Systems[0]
	switch {
	case ours.Payloads != nil:
		c.Title = "Payloads: " + run.Gold.Name
		c.Tiles = payloadTiles(ours.Payloads)
		c.Plots = []*plot{figuresPlot(run, kindFigures(ours.Payloads)), costPlot(group), historyPlot(group)}
	case ours.Questions != nil:
		c.Title = "Questions: " + run.Gold.Name
		c.Tiles = askedTiles(ours.Questions)
		c.Plots = []*plot{figuresPlot(run, askedFigures()), costPlot(group), historyPlot(group)}
	default:
		return nil, fmt.Errorf("the run of %s on %s has a system %q without figures", day(run.At), run.Gold.Name, ours.Name)
	}
	return c, nil
}

// past is one line of the list of runs.
type past struct {
	Run       *eval.Run
	System    string
	Main      eval.Interval // F1 of all kinds, or hit@1
	Name      string        // of Main
	OtherGold bool          // the gold set was another than the newest run's
}

func history(group []*eval.Run) []past {
	newest := group[len(group)-1]
	var all []past
	for _, r := range slices.Backward(group) {
		if len(r.Systems) == 0 {
			continue
		}
		name, main := mainFigure(r.Systems[0])
		all = append(all, past{r, r.Systems[0].Name, main, name, r.Gold.Hash != newest.Gold.Hash})
	}
	return all
}

// mainFigure is the one figure that a system is known by.
func mainFigure(s eval.System) (name string, f eval.Interval) {
	switch {
	case s.Payloads != nil:
		return "F1 of all kinds", s.Payloads.Micro.F1
	case s.Questions != nil:
		return "hit@1", s.Questions.All.Hit1
	}
	return "", eval.Interval{}
}

// marks tells systems apart by shape as well as by colour; the one under test
// has the filled dot.
var marks = []string{"dot", "square", "diamond", "triangle", "cross", "ring"}

// A mark is the shape that a system goes by.
type mark struct {
	Mark string
	Ours bool // the one under test
}

func markOf(i int) mark {
	if i == 0 {
		return mark{marks[0], true}
	}
	return mark{Mark: marks[1+(i-1)%(len(marks)-1)]}
}

// byName lists each system of a group once, as it was measured last, the
// newest run's first.
func byName(group []*eval.Run) []eval.System {
	seen := map[string]bool{}
	var all []eval.System
	for _, r := range slices.Backward(group) {
		for _, s := range r.Systems {
			if key := cmp.Or(s.Model, s.Name) + s.Name; !seen[key] {
				seen[key] = true
				all = append(all, s)
			}
		}
	}
	return all
}
