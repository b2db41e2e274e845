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
	}, func(a *app.App, d *UsageDoc) {
		for _, b := range d.Broken {
			fmt.Fprintf(a.Err, "recall: skipped: %s\n", b)
		}
		a.Form("usage", d)
	})
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
	shelf, err := l.Shelf()
	title := map[string]string{}
	if err == nil && by == "session" {
		for _, e := range shelf.Entries {
			title[string(e.ID)] = txt.Clip(terminal.Line(e.Title), 50) + " " // there, though it has none
		}
	}
	return map[string]func(library.Spent) string{
		"model": func(s library.Spent) string { return s.Model },
		"task":  func(s library.Spent) string { return s.Task },
		"day":   func(s library.Spent) string { return s.At.Local().Format("2006-01-02") },
		"project": func(s library.Spent) string {
			if s.Project == "" {
				return "none"
			}
			return cmp.Or(shelf.Project[s.Project].Name, "forgotten")
		},
		"session": func(s library.Spent) string {
			if s.Session == "" {
				return "none"
			}
			return strings.TrimSpace(answer.ShortID(s.Session) + "  " + cmp.Or(title[s.Session], "forgotten"))
		},
	}[by], err
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

// All are the rows with their total.
func (d *UsageDoc) All() []usageRow { return append(d.Rows, d.Total) }

// Wide is how wide the column of names is.
func (d *UsageDoc) Wide() int {
	wide := 0
	for _, r := range d.All() {
		wide = max(wide, len([]rune(r.Name)))
	}
	return wide
}

// Price is what a row's calls cost, and how far that is known.
func (r usageRow) Price() string {
	cost := config.Dollars(r.Cost)
	if r.Estimated != nil {
		cost = "~" + cost
	}
	if r.Unpriced > 0 {
		cost += "+?"
	}
	return cost
}
