package app

import (
	"context"
	"fmt"

	"recall/answer"
	"recall/library"
	"recall/pipeline"
)

func (a *App) Reindex(ctx context.Context, l *library.Library) error {
	// What can't be made again must not be removed first. A library of a newer
	// format is only read.
	if l.ReadOnly() == nil {
		if err := l.Journal("reindex", nil); err != nil {
			return err
		}
	}
	if err := a.RemoveIndex(l); err != nil {
		return err
	}
	report, err := a.TakeIn(ctx, l, pipeline.Options{Reindex: true})
	if err != nil {
		return err
	}
	if v, err := a.Vectors(l); err == nil && v.Model != nil { // else a search says why
		if err := v.Restore(ctx); err != nil {
			return err
		}
	}
	fmt.Fprintf(a.Err, "recall: indexed %s with %s\n", answer.Count(report.Indexed, "session"),
		answer.Count(report.Items, "item"))
	a.PrintProblems(report.Problems)
	if report.Skipped() {
		// What the library can't give the sources may: the next sync looks at all of them.
		p, err := a.Pipeline(l)
		if err == nil {
			err = p.Forget()
		}
		if err != nil {
			return err
		}
		return ExitCode(ExitPartial)
	}
	return nil
}
