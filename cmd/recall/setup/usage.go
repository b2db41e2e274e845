package setup

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/config"
	"recall/library"
	"recall/pipeline/improve"
	txt "recall/text"
)

type UsageDoc struct {
	By     string     `json:"by"`             // day, model, project, task or session
	Since  time.Time  `json:"since,omitzero"` // not there: since ever
	Rows   []usageRow `json:"rows"`
	Total  usageRow   `json:"total"`
	Month  monthDoc   `json:"month"`
	Broken []string   `json:"broken,omitempty"` // lines of usage.jsonl that can't be read
}

type usageRow struct {
	Name     string  `json:"name"`
	Calls    int     `json:"calls"`
	Failed   int     `json:"failed"` // of Calls: weren't answered; some are paid for all the same
	In       int     `json:"in"`     // tokens
	Cached   int     `json:"cached"` // of In, from the service's cache
	Out      int     `json:"out"`
	Cost     float64 `json:"cost"`               // USD
	Unpriced int     `json:"unpriced,omitempty"` // of Calls: of a model whose price isn't known

	Estimated *estimatedPart `json:"estimated,omitempty"` // of all that, what nobody counted
}

// estimatedPart are the calls that broke off, or whose service doesn't say what
// they took: they stand in the sums with what they were expected to take.
type estimatedPart struct {
	Calls  int     `json:"calls"`
	Tokens int     `json:"tokens"` // in and out
	Cost   float64 `json:"cost"`   // USD
}

// monthDoc is what the calendar month has taken so far.
type monthDoc struct {
	Tokens int     `json:"tokens"`
	Cost   float64 `json:"cost"`          // USD
	Cap    float64 `json:"cap,omitempty"` // USD; distill.budget.month_cost
}

func newUsageCmd(a *app.App) *cobra.Command {
	var o struct {
		By    string
		Since option.Day
	}
	return option.Asked(a, "usage", &o, func(_ context.Context, l *library.Library, _ []string) (*UsageDoc, error) {
		return runUsage(a, l, o.By, o.Since.At)
	}, printUsage)
}

func runUsage(a *app.App, l *library.Library, by string, since time.Time) (*UsageDoc, error) {
	doc := &UsageDoc{By: by, Since: since, Rows: []usageRow{}, Total: usageRow{Name: "total"}}
	name, err := usageNames(l, by)
	if err != nil {
		return nil, err
	}
	rows := map[string]*usageRow{}
	month := improve.MonthOf(time.Now())
	for s, err := range l.Spending() {
		if err != nil {
			doc.Broken = append(doc.Broken, err.Error())
			continue
		}
		if !s.At.Before(month) {
			doc.Month.Tokens += s.In + s.Out
			doc.Month.Cost += s.Cost
		}
		if s.At.Before(doc.Since) {
			continue
		}
		key := name(s)
		if rows[key] == nil {
			rows[key] = &usageRow{Name: key}
		}
		rows[key].add(s)
		doc.Total.add(s)
	}
	for _, r := range rows {
		doc.Rows = append(doc.Rows, *r)
	}
	slices.SortFunc(doc.Rows, func(a, b usageRow) int {
		if by == "day" {
			return cmp.Compare(a.Name, b.Name)
		}
		return cmp.Or(cmp.Compare(b.Cost, a.Cost), cmp.Compare(b.In, a.In), cmp.Compare(a.Name, b.Name))
	})
	doc.Month.Cap = a.Config.Distill.Budget.MonthCost
	return doc, nil
}

// usageNames gives what a call is summed up under.
func usageNames(l *library.Library, by string) (func(library.Spent) string, error) {
	switch by {
	case "model":
		return func(s library.Spent) string { return s.Model }, nil
	case "task":
		return func(s library.Spent) string { return s.Task }, nil
	case "day":
		return func(s library.Spent) string { return s.At.Local().Format("2006-01-02") }, nil
	}
	shelf, err := l.Shelf()
	if err != nil {
		return nil, err
	}
	if by == "project" {
		return func(s library.Spent) string {
			if s.Project == "" {
				return "none"
			}
			return cmp.Or(shelf.Project[s.Project].Name, "forgotten")
		}, nil
	}
	title := map[string]string{}
	for _, e := range shelf.Entries {
		title[string(e.ID)] = txt.Clip(terminal.Line(e.Title), 50)
	}
	return func(s library.Spent) string {
		if s.Session == "" {
			return "none"
		}
		name, ok := title[s.Session]
		if !ok {
			name = "forgotten"
		}
		return strings.TrimSpace(answer.ShortID(s.Session) + "  " + name)
	}, nil
}

func (r *usageRow) add(s library.Spent) {
	r.Calls++
	if s.Fault != "" {
		r.Failed++
	}
	if s.Unpriced {
		r.Unpriced++
	}
	if s.Estimated {
		if r.Estimated == nil {
			r.Estimated = &estimatedPart{}
		}
		r.Estimated.Calls++
		r.Estimated.Tokens += s.In + s.Out
		r.Estimated.Cost += s.Cost
	}
	r.In, r.Cached, r.Out, r.Cost = r.In+s.In, r.Cached+s.CacheRead, r.Out+s.Out, r.Cost+s.Cost
}

func printUsage(a *app.App, d *UsageDoc) {
	for _, b := range d.Broken {
		fmt.Fprintf(a.Err, "recall: skipped: %s\n", b)
	}
	if d.Total.Calls == 0 {
		since := "yet"
		if !d.Since.IsZero() {
			since = "since " + d.Since.Format("2006-01-02")
		}
		fmt.Fprintf(a.Out, "No model was asked %s.\n", since)
		return
	}
	wide := len(d.Total.Name)
	for _, r := range d.Rows {
		wide = max(wide, len([]rune(r.Name)))
	}
	st := terminal.Styles(a.Color)
	fmt.Fprintf(a.Out, "%s%-*s  %7s  %7s  %12s  %12s  %12s  %10s%s\n", st.Dim, wide, d.By, "calls", "failed",
		"tokens in",
		"of cache", "tokens out", "cost", st.Reset)
	for _, r := range append(d.Rows, d.Total) {
		cost := config.Dollars(r.Cost)
		if r.Estimated != nil {
			cost = "~" + cost
		}
		if r.Unpriced > 0 {
			cost += "+?"
		}
		fmt.Fprintf(a.Out, "%-*s  %7s  %7s  %12s  %12s  %12s  %10s\n", wide, r.Name, txt.Thousands(r.Calls),
			txt.Thousands(r.Failed), txt.Thousands(r.In), txt.Thousands(r.Cached), txt.Thousands(r.Out),
			cost)
	}
	if e := d.Total.Estimated; e != nil {
		fmt.Fprintf(a.Out, "~ %s of it estimated, for %s that broke off or of which the service didn't say\n",
			app.TokensAndCost(e.Tokens, e.Cost, false), answer.Count(e.Calls, "call"))
	}
	if d.Total.Unpriced > 0 {
		fmt.Fprintf(a.Out, "+? %s of models without a known price: set llm.prices\n",
			answer.Count(d.Total.Unpriced, "call"))
	}
	fmt.Fprintln(a.Out, d.Month.String())
}

func (m monthDoc) String() string {
	s := "This month: " + app.TokensAndCost(m.Tokens, m.Cost, false)
	if m.Cap > 0 {
		s += " of " + config.Dollars(m.Cap)
	}
	return s
}
