package setup

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/history"
)

func newUsageCmd(a *app.App) *cobra.Command {
	var o struct {
		By    string
		Since option.Day
	}
	return option.Result(a, "status-usage", &o, func(ctx context.Context, _ []string) (*history.Usage, error) {
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
		return u, nil
	}, func(a *app.App, d *history.Usage) {
		for _, b := range d.Recall.Broken {
			fmt.Fprintf(a.Err, "recall: skipped: %s\n", b)
		}
		a.Form("usage", d)
	})
}
