package keep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/ingest"
	"recall/internal/hint"
	"recall/library"
	"recall/pipeline"
	"recall/pipeline/improve"
)

func newRedistillCmd(a *app.App) *cobra.Command {
	var o struct {
		Since option.Day
		Yes   bool
	}
	cmd := option.Run(a, "redistill", func(fs *option.Flags) {
		fs.Since(&o.Since, "since", "all sessions active since this day: 2026-04-17, 2026-04, 2w")
		fs.BoolVarP(&o.Yes, "yes", "y", false, "don't ask for confirmation")
	}, func(ctx context.Context, args []string) error {
		if err := a.Lib.ReadOnly(); err != nil {
			return err
		}
		a.Config.Distill.Budget.SessionCost, a.Config.Distill.Budget.SessionTokens = 0, 0 // the person agrees to the price
		entries, err := toRedistill(a, args, o.Since.At)
		if err != nil {
			return err
		}
		return runRedistill(ctx, a, entries, o.Yes)
	})
	return option.Refuse(cmd, func(args []string) bool { return len(args) == 0 && o.Since.At.IsZero() },
		"redistill: which sessions?", "name them, or give --since DATE; --since 2000 means all")
}

// toRedistill returns the named sessions, or those active since a day.
func toRedistill(a *app.App, names []string, since time.Time) ([]library.Entry, error) {
	all, err := a.Sessions(names)
	if err == nil && len(names) == 0 {
		all, err = a.Lib.Sessions()
	}
	if err != nil || since.IsZero() {
		return all, err
	}
	all = slices.DeleteFunc(slices.Clone(all),
		func(e library.Entry) bool { return e.End.Before(since) || e.Behind() || e.Helper })
	if len(all) == 0 {
		return nil, hint.With(fmt.Errorf("no distilled session since %s", since.Format("2006-01-02")),
			"recall list shows all")
	}
	return all, nil
}

// runRedistill shows the price, asks, and redistills.
func runRedistill(ctx context.Context, a *app.App, entries []library.Entry, yes bool) error {
	o := improve.Options{Only: []ingest.SessionID{}}
	for _, e := range entries {
		o.Only = append(o.Only, e.ID)
	}
	foreseen, err := a.Foresee(ctx, o, true)
	if err != nil {
		return err
	}
	if foreseen.Model == "" {
		return errNoModel
	}
	printForeseen(a, foreseen)
	if !yes && !a.Confirm(ctx, "Do it?") {
		if !terminal.IsTerminal(a.Out) {
			fmt.Fprintln(a.Err, "recall: nothing was done; confirm with --yes")
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return app.ExitCode(app.ExitNothing)
	}
	if err := a.OnIndex(ctx, func(*pipeline.Pipeline) error { return nil }); err != nil {
		return err
	}
	asked, problems, err := a.Improve(ctx, o, true)
	printModel(a, asked)
	a.PrintProblems(problems)
	if err == nil && (len(problems) > 0 || asked.Waiting > 0) {
		err = app.ExitCode(app.ExitPartial)
	}
	return err
}

var errNoModel = hint.With(errors.New("no model is configured"),
	"set llm.provider in config.yaml; recall init helps you choose one")
