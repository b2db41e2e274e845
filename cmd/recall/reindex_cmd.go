package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"recall/library"
	"recall/pipeline"
)

func (a *app) reindexCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "reindex",
		Short:   "Make the index again from the library alone",
		GroupID: "keep",
		Long: `The index is a cache: it can be made again from the library at any time, without
the sources and without a model. People's edits and ids stay.`,
		Example: "  recall reindex",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := a.library(cmd.Context())
			if err != nil {
				return err
			}
			return a.reindex(cmd.Context(), l)
		},
	}
}

func (a *app) reindex(ctx context.Context, l *library.Library) error {
	// What can't be made again must not be removed first. A library of a newer
	// format is only read.
	if l.ReadOnly() == nil {
		if err := l.Journal("reindex", nil); err != nil {
			return err
		}
	}
	if err := a.removeIndex(l); err != nil {
		return err
	}
	report, err := a.takeIn(ctx, l, pipeline.Options{Reindex: true})
	if err != nil {
		return err
	}
	if err := a.restoreVectors(ctx, l); err != nil {
		return err
	}
	fmt.Fprintf(a.err, "recall: indexed %s with %s\n", count(report.Indexed, "session"), count(report.Items, "item"))
	a.printProblems(report.Problems)
	if report.Skipped() {
		// What the library can't give the sources may: the next sync looks at all of them.
		p, err := a.pipeline(l)
		if err == nil {
			err = p.Forget()
		}
		if err != nil {
			return err
		}
		return exitCode(exitPartial)
	}
	return nil
}
