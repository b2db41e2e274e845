package keep

import (
	"cmp"
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

// RedistillDoc is the JSON document of recall redistill.
type RedistillDoc struct {
	Foreseen *app.ForeseenDoc `json:"foreseen"`        // the estimate
	Model    *improve.Report  `json:"model,omitempty"` // the result; absent if it wasn't done
	Problems []ingest.Problem `json:"problems"`
}

func newRedistillCmd(a *app.App) *cobra.Command {
	var o struct {
		Since     option.Day
		Model     string
		Yes, JSON bool
	}
	cmd := option.Run(a, "redistill", func(fs *option.Flags) {
		fs.BoolVar(&o.JSON, "json", false, "print as JSON")
		fs.StringVar(&o.Model, "model", "", "ask this model of the configured provider")
		fs.Since(&o.Since, "since", "all sessions active since this day: 2026-04-17, 2026-04, 2w")
		fs.BoolVarP(&o.Yes, "yes", "y", false, "don't ask for confirmation")
	}, func(ctx context.Context, args []string) error {
		if err := a.Lib.ReadOnly(); err != nil {
			return err
		}
		if o.Model != "" {
			a.Config.LLM.Model = o.Model
		}
		a.Config.Distill.Budget.SessionCost, a.Config.Distill.Budget.SessionTokens = 0, 0 // the person agrees to the price
		entries, err := toRedistill(a, args, o.Since.At)
		if err != nil {
			return err
		}
		doc, err := runRedistill(ctx, a, entries, o.Yes, o.JSON)
		if err != nil && doc == nil {
			return err
		}
		if o.JSON {
			err = cmp.Or(err, a.PrintJSON(doc))
		}
		switch {
		case err != nil:
			return err
		case doc.Model == nil:
			return app.ExitCode(app.ExitNothing)
		case len(doc.Problems) > 0 || doc.Model.Waiting > 0:
			return app.ExitCode(app.ExitPartial)
		}
		return nil
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
func runRedistill(ctx context.Context, a *app.App, entries []library.Entry,
	yes, asJSON bool) (*RedistillDoc, error) {
	o := improve.Options{Only: []ingest.SessionID{}}
	for _, e := range entries {
		o.Only = append(o.Only, e.ID)
	}
	foreseen, err := a.Foresee(ctx, o, true)
	if err != nil {
		return nil, err
	}
	doc := &RedistillDoc{Foreseen: foreseen}
	if foreseen.Model == "" {
		return nil, errNoModel
	}
	if !asJSON {
		printForeseen(a, foreseen)
	}
	if !yes && !a.Confirm(ctx, "Do it?") {
		if !terminal.IsTerminal(a.Out) {
			fmt.Fprintln(a.Err, "recall: nothing was done; confirm with --yes")
		}
		return doc, ctx.Err()
	}
	if err := a.OnIndex(ctx, func(*pipeline.Pipeline) error { return nil }); err != nil {
		return nil, err
	}
	doc.Model, doc.Problems, err = a.Improve(ctx, o, true)
	if !asJSON {
		printModel(a, doc.Model)
		a.PrintProblems(doc.Problems)
	}
	return doc, err
}

var errNoModel = hint.With(errors.New("no model is configured"),
	"set llm.provider in config.yaml; recall init helps you choose one")
