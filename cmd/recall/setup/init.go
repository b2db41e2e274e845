package setup

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/answer/history"
	"recall/answer/last"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/internal/hint"
	"recall/library/disk"
	"recall/payload"
	"recall/pipeline"
)

func newInitCmd(a *app.App) *cobra.Command {
	var o struct{ Yes bool }
	return option.Do("init", func(fs *option.Flags) {
		fs.BoolVarP(&o.Yes, "yes", "y", false, "don't ask")
	}, func(ctx context.Context, _ []string) error { return runInit(ctx, a, o.Yes) })
}

func runInit(ctx context.Context, a *app.App, yes bool) error {
	c, err := a.LoadConfig()
	if err != nil {
		return err
	}
	for _, w := range disk.Warnings(c.Library.Dir) {
		fmt.Fprintln(a.Err, "recall: warning:", w)
		if !yes && !a.Confirm(ctx, "Create the library there anyway?") {
			return hint.With(errors.New("no library created"),
				"name another folder: recall init --library DIR, or library.dir in config.yaml")
		}
	}
	l, made, err := a.CreateLibrary(ctx)
	if err != nil {
		return err
	}
	verb := "Found the library"
	if made {
		verb = "Created a library"
	}
	fmt.Fprintf(a.Out, "%s in %s\n", verb, l.Dir())
	start := time.Now()
	report, err := a.Sync(ctx, pipeline.Options{})
	if err != nil {
		if report.Bytes > 0 {
			a.PrintReport(report)
		}
		return err
	}
	p := a.Pipeline()
	for _, s := range p.Places() {
		fmt.Fprintf(a.Out, "Source: %s, %s\n", s.Source, s.Folder)
	}
	if report.Found == 0 && report.Skipped() {
		a.PrintReport(report)
		return app.ExitCode(app.ExitPartial)
	}
	if report.Found == 0 {
		fmt.Fprintln(a.Out, "No sessions found. If they are elsewhere: recall sync --from FOLDER. To see recall at "+
			"work: recall demo")
		return nil
	}
	fmt.Fprintf(a.Out, "Took %s: ", terminal.Elapsed(time.Since(start)))
	a.PrintReport(report)
	if err := tryOne(ctx, a); err != nil {
		return err
	}
	a.Form("next", c.Distill.Distiller)
	if report.Skipped() {
		return app.ExitCode(app.ExitPartial)
	}
	return nil
}

// tryOne asks a question that one of the latest decisions answers, in the words in which it was asked or with its
// session's title. If none of them comes first, it prints nothing.
func tryOne(ctx context.Context, a *app.App) error {
	for _, question := range history.Questions(a.Lib, 10) {
		ans, err := a.Searched(ctx, question)
		if err != nil {
			return err
		}
		if ans.Verdict != answer.Answered {
			continue
		}
		if it := ans.Results[0].Item; it != nil && it.Kind == payload.Decision {
			fmt.Fprintf(a.Out, "\n$ recall query %q\n", question)
			a.Remember(question, last.Hits(ans.Results))
			p := a.Page()
			p.Answer(&ans)
			return nil
		}
	}
	return nil
}
