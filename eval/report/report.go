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
	"strings"
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
		"figure": figure, "span": span, "kofn": kofn, "among": among, "x": plotX, "y": plotY, "ticks": plotTicks,
		"short": answer.ShortID[string], "day": day,
		"plural": answer.Count, "rev": clipRev, "seconds": seconds, "dollars": dollars, "mark": markOf, "judged": judged,
		"kinds": kindRows, "sessions": sessionViews, "measures": func() []eval.QuestionMetric { return eval.QuestionMetrics },
		"main": func(r *eval.Run) past {
			f := mainFigures(r.What)[0]
			of, _ := f.of(r.Systems[0])
			return past{f.name, of}
		},
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
	ID    string // anchor
	Run   *eval.Run
	Title string
	Tiles []tile
	Plots []*plot
	Runs  []*eval.Run // newest first, the run itself among them
}

// past is what a run before came to.
type past struct {
	Name string
	eval.Interval
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
	for _, r := range group {
		if len(r.Systems) == 0 || r.Systems[0].Payloads == nil && r.Systems[0].Questions == nil {
			return nil, fmt.Errorf("the run of %s on %s measured nothing", day(r.At), r.Gold.Name)
		}
	}
	run := group[len(group)-1]
	c := &chapter{Run: run, Plots: []*plot{figuresPlot(run), costPlot(group), historyPlot(group)}}
	if ours := run.Systems[0].Payloads; ours != nil {
		c.Title, c.Tiles = "Payloads: "+run.Gold.Name, payloadTiles(ours)
	} else {
		c.Title, c.Tiles = "Questions: "+run.Gold.Name, askedTiles(run.Systems[0].Questions)
	}
	c.Runs = slices.Clone(group)
	slices.Reverse(c.Runs)
	return c, nil
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

// clipRev shortens a revision and keeps the mark of a changed tree.
func clipRev(rev string) string {
	hash, changed := strings.CutSuffix(rev, "+")
	hash = hash[:min(len(hash), 7)]
	if changed {
		return hash + "+"
	}
	return hash
}
