package setup

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/config"
	"recall/history"
	txt "recall/text"
)

// UsageDoc is what models took, as people see it.
type UsageDoc struct{ history.Usage }

func newUsageCmd(a *app.App) *cobra.Command {
	var o struct {
		By    string
		Since option.Day
	}
	return option.Result(a, "status-usage", &o, func(ctx context.Context, _ []string) (*UsageDoc, error) {
		p, err := a.UpToDate(ctx)
		if err != nil {
			return nil, err
		}
		shelf, err := p.Library.Shelf()
		if err != nil {
			return nil, err
		}
		u, err := history.UsageOf(ctx, p, shelf, o.By, o.Since.At, a.Config.LLM.Prices)
		if err != nil {
			return nil, err
		}
		u.Recall.Month.Cap = a.Config.Distill.Budget.MonthCost
		return &UsageDoc{*u}, nil
	}, func(a *app.App, d *UsageDoc) {
		for _, b := range d.Recall.Broken {
			fmt.Fprintf(a.Err, "recall: skipped: %s\n", b)
		}
		a.Form("usage", d)
	})
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
		table = append(table, tableRow(r.Name, price(r), r.Calls, r.Failed, r.In, r.Cached, r.Out))
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

// price is what a row's calls cost, and how far that is known.
func price(r history.OwnRow) string {
	cost := config.Dollars(r.Cost)
	if r.Estimated != nil {
		cost = "~" + cost
	}
	if r.Unpriced > 0 {
		cost += "+?"
	}
	return cost
}
