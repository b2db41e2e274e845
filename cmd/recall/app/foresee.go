package app

import (
	"context"
	"fmt"
	"strings"

	"recall/answer"
	"recall/cmd/recall/terminal"
	"recall/config"
	"recall/distill"
	"recall/ingest"
	"recall/library"
	"recall/llm"
	"recall/pipeline/improve"
	txt "recall/text"
)

// ForeseenDoc is the JSON form of what would be asked.
type ForeseenDoc struct {
	Model string `json:"model,omitempty"` // "" if none is configured
	improve.Foreseen
	distill.Estimate                  // in all
	Cost             float64          `json:"cost"` // USD
	Unpriced         bool             `json:"unpriced,omitempty"`
	Batch            bool             `json:"batch"`
	Caps             []string         `json:"caps,omitempty"` // that it would run into
	Problems         []ingest.Problem `json:"problems"`
}

// Foresee says what a sync would ask of the model, and what that would cost.
// Nothing is written.
func (a *App) Foresee(ctx context.Context, l *library.Library, from []string, o improve.Options,
	anew bool) (*ForeseenDoc, error) {
	doc := &ForeseenDoc{}
	p, err := a.Asker(ctx, l, anew)
	if err != nil || p == nil {
		return doc, err
	}
	if a.ReadIndex(l) == nil {
		p.Index = a.Index
	}
	bar := terminal.NewProgress(a.Err)
	p.Progress = bar.Show
	f, err := p.Foresee(ctx, from, o)
	bar.Done()
	if err != nil {
		return nil, err
	}
	doc.Foreseen, doc.Estimate, doc.Problems = f, f.Sum(), f.Problems
	doc.Model, doc.Batch = strings.TrimPrefix(p.Improver.Name(), "model/"), p.Batch != nil && a.Config.Distill.Batch
	m, err := a.Asking(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range f.Sessions {
		n := max(s.Requests, 1) // long requests may have another price, so each is priced by itself
		cost, known := m.Prices.Cost(m.Plain.Name(), llm.Usage{In: s.In / n, Out: s.Out / n}, doc.Batch)
		doc.Cost += cost * float64(n)
		doc.Unpriced = doc.Unpriced || !known
	}
	cost, known := m.Prices.Cost(m.Plain.Name(), llm.Usage{In: f.Bearing.In, Out: f.Bearing.Out}, false)
	doc.Cost += cost
	doc.Unpriced = doc.Unpriced || !known && f.Bearing.Requests > 0
	doc.Caps = runsInto(a.Config, doc)
	return doc, nil
}

// runsInto names the caps that so much would pass, whatever is spent already.
func runsInto(c *config.Config, d *ForeseenDoc) (names []string) {
	b := c.Caps()
	for _, cap := range []struct {
		name string
		improve.Cap
	}{{"night", b.Night}, {"month", b.Month}} {
		switch {
		case cap.Cost > 0 && d.Cost > cap.Cost:
			names = append(names, fmt.Sprintf("distill.budget.%s_cost: %s", cap.name, config.Dollars(cap.Cost)))
		case cap.Tokens > 0 && d.In+d.Out > cap.Tokens:
			names = append(names, fmt.Sprintf("distill.budget.%s_tokens: %s", cap.name, config.Thousands(cap.Tokens)))
		}
	}
	return names
}

func (a *App) PrintForeseen(d *ForeseenDoc) {
	if d.Model == "" {
		fmt.Fprintln(a.Out, "No model is configured: rules distill, which costs nothing. recall init helps to choose one.")
		return
	}
	fmt.Fprintln(a.Out, priceLine(d))
	terminal.Few(d.Sessions, 10, func(s improve.ForeseenSession) {
		fmt.Fprintf(a.Out, "  %s  %s  %s in, %s out  %s\n", s.End.Local().Format("2006-01-02"), answer.ShortID(s.ID),
			config.Thousands(s.In), config.Thousands(s.Out), txt.Clip(terminal.Line(s.Title), 50))
	}, func(n int) { fmt.Fprintf(a.Out, "  … and %d more; --json lists all\n", n) })
	for _, left := range []struct {
		n   int
		why string
	}{{d.Pending, "on the way with a batch"},
		{d.Resting, "that it failed at before left alone for now; recall redistill SESSION asks about one all the same"}} {
		if left.n > 0 {
			fmt.Fprintf(a.Out, "%s %s\n", answer.Count(left.n, "session"), left.why)
		}
	}
	for _, cap := range d.Caps {
		fmt.Fprintf(a.Out, "More than the cap (%s): the rest would wait. config.yaml sets it.\n", cap)
	}
	a.PrintProblems(d.Problems)
}

// priceLine is what asking would take, in one line.
func priceLine(d *ForeseenDoc) string {
	s := fmt.Sprintf("%s would be asked about %s: %s, about %s tokens in and %s out", d.Model,
		answer.Count(len(d.Sessions), "session"), answer.Count(d.Requests, "request"),
		config.Thousands(d.In), config.Thousands(d.Out))
	if d.Batch {
		s += ", by batch"
		if d.Bearing.Requests > 0 {
			s += fmt.Sprintf(" but for %s on how items bear on each other", answer.Count(d.Bearing.Requests, "request"))
		}
	}
	if d.Unpriced {
		return s + "; what it costs isn't known here: set llm.prices"
	}
	return s + ", " + config.Dollars(d.Cost)
}
