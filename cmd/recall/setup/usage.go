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
	"recall/history"
	"recall/ingest"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
	"recall/pipeline/improve"
	txt "recall/text"
)

type UsageDoc struct {
	By       string        `json:"by"`                 // day, week, month, model, project, session or task
	Since    time.Time     `json:"since,omitzero"`     // not there: since ever
	Sessions *history.Took `json:"sessions,omitempty"` // of people's sessions; not there by task
	Recall   OwnUsage      `json:"recall"`             // of recall itself, which asked models
}

// OwnUsage is what models took that recall asked.
type OwnUsage struct {
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
	return option.Result(a, "usage", &o, func(ctx context.Context, _ []string) (*UsageDoc, error) {
		p, err := a.UpToDate(ctx)
		if err != nil {
			return nil, err
		}
		return runUsage(ctx, a, p, o.By, o.Since.At)
	}, func(a *app.App, d *UsageDoc) {
		for _, b := range d.Recall.Broken {
			fmt.Fprintf(a.Err, "recall: skipped: %s\n", b)
		}
		a.Form("usage", d)
	})
}

func runUsage(ctx context.Context, a *app.App, p *pipeline.Pipeline, by string, since time.Time) (*UsageDoc, error) {
	shelf, err := p.Library.Shelf()
	if err != nil {
		return nil, err
	}
	doc := &UsageDoc{By: by, Since: since}
	name := usageNames(shelf, by)
	if by != "task" {
		project := map[string]string{}
		for _, e := range shelf.Entries {
			project[string(e.ID)] = e.Project
		}
		nameOf := func(session string, r ingest.Request) string {
			return name(library.Spent{At: r.At, Session: session, Project: project[session],
				Model: cmp.Or(r.Model, "unknown")})
		}
		doc.Sessions, err = history.Models(ctx, p, since, a.Config.LLM.Prices, nameOf)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(doc.Sessions.Rows, func(a, b history.TookRow) int {
			return usageOrder(by, a.Name, b.Name, a.Cost, b.Cost, a.Output, b.Output)
		})
	}
	doc.Recall = ownUsage(p.Library, by, since, name)
	doc.Recall.Month.Cap = a.Config.Distill.Budget.MonthCost
	return doc, nil
}

// usageOrder puts days, weeks and months in their order, and else what cost most first.
func usageOrder(by, nameA, nameB string, costA, costB float64, tokensA, tokensB int) int {
	if by == "day" || by == "week" || by == "month" {
		return cmp.Compare(nameA, nameB)
	}
	return cmp.Or(cmp.Compare(costB, costA), cmp.Compare(tokensB, tokensA), cmp.Compare(nameA, nameB))
}

func ownUsage(l *library.Library, by string, since time.Time, name func(library.Spent) string) OwnUsage {
	own := OwnUsage{Rows: []usageRow{}, Total: usageRow{Name: "total"}}
	rows := map[string]*usageRow{}
	for s, err := range l.Spending() {
		if err != nil {
			own.Broken = append(own.Broken, err.Error())
			continue
		}
		if s.At.Before(since) {
			continue
		}
		key := name(s)
		if rows[key] == nil {
			rows[key] = &usageRow{Name: key}
		}
		rows[key].add(s)
		own.Total.add(s)
	}
	for _, r := range rows {
		own.Rows = append(own.Rows, *r)
	}
	slices.SortFunc(own.Rows, func(a, b usageRow) int {
		return usageOrder(by, a.Name, b.Name, a.Cost, b.Cost, a.In, b.In)
	})
	month := improve.TookSince(l, improve.MonthOf(time.Now()))
	own.Month = monthDoc{Tokens: month.Tokens, Cost: month.Cost}
	return own
}

// usageNames gives what a request is summed up under.
func usageNames(shelf *library.Shelf, by string) func(library.Spent) string {
	title := map[string]string{}
	if by == "session" {
		for _, e := range shelf.Entries {
			title[string(e.ID)] = payload.Handle(shelf.Of(e).Name, shelf.Number[string(e.ID)]) + "  " +
				txt.Clip(terminal.Line(e.Title), 40)
		}
	}
	days := map[int64]string{} // of quarters of an hour, each of which many requests share
	day := func(at time.Time) string {
		quarter := at.Unix() / (15 * 60)
		if days[quarter] == "" {
			switch local := at.Local(); {
			case at.IsZero():
			case by == "week": // by its Monday
				at = local.AddDate(0, 0, -(int(local.Weekday())+6)%7)
			case by == "month": // by its first
				at = local.AddDate(0, 0, 1-local.Day())
			}
			days[quarter] = answer.Day(at)
		}
		return days[quarter]
	}
	return map[string]func(library.Spent) string{
		"model": func(s library.Spent) string { return terminal.Line(s.Model) },
		"task":  func(s library.Spent) string { return s.Task },
		"day":   func(s library.Spent) string { return day(s.At) },
		"week":  func(s library.Spent) string { return day(s.At) },
		"month": func(s library.Spent) string { return strings.TrimSuffix(day(s.At), "-01") },
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
	}[by]
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

// Table is what people's sessions took, with heads and a total.
func (d *UsageDoc) Table() [][]string {
	table := [][]string{strings.Split(d.By+"|sessions|input|output|cache write|cache read|worth", "|")}
	for _, r := range d.Sessions.All() {
		worth := config.Dollars(r.Cost)
		if r.Unpriced > 0 {
			worth = strings.TrimPrefix(worth+"+?", "$0+")
		}
		table = append(table, tableRow(r.Name, worth, r.Sessions, r.Input, r.Output, r.CacheWrite, r.CacheRead))
	}
	if d.By == "session" {
		for i, row := range table {
			table[i] = slices.Delete(row, 1, 2)
		}
	}
	return table
}

// OwnTable is Table of recall's own requests.
func (d *UsageDoc) OwnTable() [][]string {
	table := [][]string{strings.Split(d.By+"|calls|failed|tokens in|of cache|tokens out|cost", "|")}
	for _, r := range append(d.Recall.Rows, d.Recall.Total) {
		table = append(table, tableRow(r.Name, r.Price(), r.Calls, r.Failed, r.In, r.Cached, r.Out))
	}
	return table
}

func tableRow(name, cost string, counts ...int) []string {
	row := []string{name}
	for _, n := range counts {
		row = append(row, txt.Thousands(n))
	}
	return append(row, cost)
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
