package keep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/ingest"
	"recall/internal/hint"
	txt "recall/internal/text"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
	"recall/pipeline/improve"
)

func newSyncCmd(a *app.App) *cobra.Command {
	var o struct {
		From                  []string
		JSON, DryRun, NoModel bool
	}
	return option.Do("sync", func(fs *option.Flags) {
		fs.BoolVar(&o.DryRun, "dry-run", false,
			"show what a model would be asked and what it would cost, and do nothing")
		fs.StringArrayVar(&o.From, "from", nil, "import this file or folder instead of the usual places (repeatable)")
		fs.BoolVar(&o.JSON, "json", false, "print the report as JSON")
		fs.BoolVar(&o.NoModel, "no-model", false, "don't ask a model")
		fs.Apart("dry-run", "no-model")
		fs.Apart("dry-run", "from")
	}, func(ctx context.Context, _ []string) error {
		if o.DryRun {
			return foreseeSync(ctx, a, o.JSON)
		}
		report, err := runSync(ctx, a, pipeline.Options{From: o.From})
		lost := lostAtBothEnds(a)
		if err != nil {
			doc := SyncReport{Report: report, Lost: lost}
			doc.Error = terminal.ShownPath(err.Error())
			switch {
			case o.JSON:
				err = cmp.Or(err, a.PrintJSON(doc))
			case report.Bytes > 0: // these are safe, whatever else went wrong
				a.PrintReport(report)
			}
			return err
		}
		if !o.JSON { // before the model, which can be slow
			a.PrintReport(report)
			if len(o.From) == 0 {
				sayElsewhere(a, report)
			}
			for _, name := range lost {
				a.Tell("the bytes of %s are gone from the library and from its source; recall check --repair --from BACKUP "+
					"looks for them, recall forget ends this", terminal.Line(name))
			}
		}
		var asked *improve.Report
		if !o.NoModel {
			var problems []ingest.Problem
			asked, problems, err = a.Improve(ctx, a.Due(), false)
			report.Problems = append(report.Problems, problems...)
			if !o.JSON {
				printModel(a, asked)
				a.PrintProblems(problems)
			}
		}
		if o.JSON {
			doc := SyncReport{Report: report, Lost: lost}
			if doc.Model = asked; asked != nil {
				doc.Improved, doc.Queued = asked.Improved, asked.Waiting+asked.Resting
			}
			err = cmp.Or(err, a.PrintJSON(doc))
		}
		if err == nil && (report.Skipped() || asked != nil && asked.Failed()) {
			err = app.ExitCode(app.ExitPartial)
		}
		return err
	})
}

func foreseeSync(ctx context.Context, a *app.App, asJSON bool) error {
	if _, err := a.Library(ctx); err != nil {
		return err
	}
	doc, err := a.Foresee(ctx, a.Due(), false)
	if err != nil {
		return err
	}
	if asJSON {
		return a.PrintJSON(doc)
	}
	printForeseen(a, doc)
	return nil
}

// runSync syncs, creating the library if there is none.
func runSync(ctx context.Context, a *app.App, o pipeline.Options) (pipeline.Report, error) {
	if _, err := a.LibraryToFill(ctx, o.From); err != nil {
		return pipeline.Report{}, err
	}
	report, err := a.Sync(ctx, o)
	if err == nil && len(o.From) > 0 && report.Found == 0 && !report.Skipped() {
		err = noSession(strings.Join(o.From, ", "))
	}
	return report, err
}

// lostAtBothEnds names the sessions of which bytes are gone from the library, and whose sources are gone.
func lostAtBothEnds(a *app.App) (names []string) {
	if a.Lib == nil {
		return nil
	}
	catalog, err := a.Lib.Catalog()
	if err != nil {
		return nil // recall check reports it
	}
	for _, e := range catalog.Entries {
		if e.Lacks() != nil && catalog.State(e, nil) == library.Lost { // the first is only a look at its folder
			names = append(names, payload.Handle(catalog.Of(e).Name, catalog.Number[string(e.ID)])+" "+e.Title)
		}
	}
	return names
}

// sayElsewhere names folders that sessions came from, in which they have changed since and which aren't searched; and
// what is kept when no source has any sessions left.
func sayElsewhere(a *app.App, r pipeline.Report) {
	all, err := a.Lib.Sessions()
	if err != nil {
		return // recall check reports it
	}
	elsewhere := a.Unsearched(all)
	for _, u := range elsewhere {
		if u.Behind > 0 {
			a.Tell("%s", terminal.Unsearched(u))
		}
	}
	if r.Found == 0 && !r.Skipped() && len(elsewhere) == 0 && len(all) > 0 {
		fmt.Fprintf(a.Out, "no source is left: %s kept, only here\n", answer.Count(len(all), "session"))
	}
}

// SyncReport is the JSON document of a sync.
type SyncReport struct {
	pipeline.Report
	Lost     []string        `json:"lost,omitempty"`  // sessions whose bytes are gone from here and from their sources
	Improved int             `json:"improved"`        // sessions that got a model's payload
	Queued   int             `json:"queued"`          // sessions waiting for the model or its answers
	Model    *improve.Report `json:"model,omitempty"` // the result of asking it; absent if no model was asked
	Error    string          `json:"error,omitempty"` // why the run ended early
}

// improveParts words the result of asking the model.
func improveParts(r *improve.Report) (parts []string) {
	say := func(n int, format string, args ...any) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	if r.Busy {
		parts = append(parts, "another recall is asking the model")
	}
	say(r.Improved, "%s distilled by %s", answer.Count(r.Improved, "session"), strings.TrimPrefix(r.By, "model/"))
	say(r.Refused, "%s refused: %s", answer.Count(r.Refused, "item"), r.Because)
	say(r.Links, "%s between decisions", answer.Count(r.Links, "link"))
	say(r.Waiting, "%s for the model: %s", terminal.Waits(r.Waiting), terminal.Line(r.Why))
	say(r.Resting, "%s left alone for now after an earlier failure (recall status says until when)", answer.Count(r.Resting, "session"))
	unpriced := ""
	if r.Unpriced {
		unpriced = " plus calls without a known price (llm.prices)"
	}
	say(r.Tokens, "%s tokens, %s%s", txt.Thousands(r.Tokens), txt.Dollars(r.Cost), unpriced)
	return parts
}

// printModel prints the result of asking the model on one line.
func printModel(a *app.App, r *improve.Report) {
	if r == nil {
		return
	}
	if parts := improveParts(r); len(parts) > 0 {
		fmt.Fprintln(a.Out, strings.Join(parts, "; "))
	}
	if r.Waiting > 0 && r.Hint != "" {
		fmt.Fprintln(a.Err, "recall: hint:", r.Hint)
	}
}

// printForeseen prints what asking would take.
func printForeseen(a *app.App, d *app.ForeseenDoc) {
	a.Form("foreseen", d)
	a.PrintProblems(d.Problems)
}

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
		// The person agrees to the price.
		a.Config.Distill.Budget.SessionCost, a.Config.Distill.Budget.SessionTokens = 0, 0
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
	if err := a.RequireYes(ctx, yes, "redistill: a model is asked", "Do it?"); err != nil {
		return err
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
	"set llm.provider in config.yaml: recall config --help")
