package keep

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/ingest"
	"recall/pipeline"
	"recall/pipeline/improve"
)

func newSyncCmd(a *app.App) *cobra.Command {
	var o struct {
		From                               []string
		JSON, Watch, DryRun, Live, NoModel bool
	}
	return option.Do("sync", &o, func(ctx context.Context, _ []string) error {
		if o.Watch {
			return Watch(ctx, a)
		}
		if o.DryRun {
			return foreseeSync(ctx, a, o.From, o.Live, o.JSON)
		}
		report, err := runSync(ctx, a, pipeline.Options{From: o.From})
		if err != nil {
			doc := SyncReport{Report: report}
			doc.Error = terminal.ShownPath(err.Error())
			switch {
			case o.JSON:
				err = cmp.Or(err, a.PrintJSON(doc))
			case report.Bytes > 0: // they are safe, whatever else went wrong
				a.PrintReport(report)
			}
			return err
		}
		if !o.JSON { // the model may take its time
			a.PrintReport(report)
			if report.Found == 0 && len(o.From) == 0 {
				printOnlyHere(a)
			}
		}
		var asked *improve.Report
		if !o.NoModel {
			var problems []ingest.Problem
			asked, problems, err = a.Improve(ctx, a.Lib, a.DueFor(o.Live), false)
			report.Problems = append(report.Problems, problems...)
			if !o.JSON {
				a.PrintModel(asked)
				a.PrintProblems(problems)
			}
		}
		if o.JSON {
			doc := SyncReport{Report: report}
			if doc.Model = asked; asked != nil {
				doc.Improved, doc.Queued = asked.Improved, asked.Waiting+asked.Pending+asked.Resting
			}
			err = cmp.Or(err, a.PrintJSON(doc))
		}
		if err == nil && report.Skipped() {
			err = app.ExitCode(app.ExitPartial)
		}
		return err
	})
}

func foreseeSync(ctx context.Context, a *app.App, from []string, live, asJSON bool) error {
	l, err := a.Library(ctx)
	if err != nil {
		return err
	}
	doc, err := a.Foresee(ctx, l, from, a.DueFor(live), false)
	if err != nil {
		return err
	}
	if asJSON {
		return a.PrintJSON(doc)
	}
	a.PrintForeseen(doc)
	return nil
}

// runSync takes in what is new, into a library that is made if there is none.
func runSync(ctx context.Context, a *app.App, o pipeline.Options) (pipeline.Report, error) {
	l, err := a.LibraryToFill(ctx, o.From)
	if err != nil {
		return pipeline.Report{}, err
	}
	report, err := a.TakeIn(ctx, l, o)
	if err == nil && len(o.From) > 0 && report.Found == 0 && !report.Skipped() {
		err = app.NoSession(strings.Join(o.From, ", "))
	}
	return report, err
}

// printOnlyHere says, where no source has a session any more, what is kept.
func printOnlyHere(a *app.App) {
	if all, err := a.Lib.Sessions(); err == nil && len(all) > 0 {
		fmt.Fprintf(a.Out, "no source is there any more: %s kept, only here\n", answer.Count(len(all), "session"))
	}
}

// SyncReport is the JSON form of a sync's report.
type SyncReport struct {
	pipeline.Report
	Improved int             `json:"improved"`        // sessions with a model's payload since
	Queued   int             `json:"queued"`          // sessions that wait for the model, or for its answers
	Model    *improve.Report `json:"model,omitempty"` // what asking it came to; not there where none is asked
	Error    string          `json:"error,omitempty"` // what ended the run, where it didn't come to its end
}
