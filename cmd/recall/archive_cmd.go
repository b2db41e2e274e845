package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/library"
	"recall/pipeline"
)

// packFor is how long an archive packs quiet sessions at most; the next one
// goes on.
const packFor = 2 * time.Minute

func (a *app) archiveCmd() *cobra.Command {
	var from []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "archive",
		Short:   "Make new bytes safe, and nothing else",
		GroupID: "keep",
		Long: `Copies what is new or has grown at the sources into the library, byte for byte,
and packs sessions that were quiet for a week. Distills nothing and opens no
index: it is what a job runs every ten minutes. recall sync makes the rest of
what was archived, whenever it runs.`,
		Example: `  recall archive
  */10 * * * * recall archive        in a crontab`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := a.archive(cmd.Context(), pipeline.ArchiveOptions{From: from, Pack: packFor})
			if err != nil {
				return err
			}
			if asJSON {
				err = a.printJSON(r)
			} else {
				a.printArchived(r)
			}
			if err == nil && r.Skipped() {
				err = exitCode(exitPartial)
			}
			return err
		},
	}
	cmd.Flags().StringArrayVar(&from, "from", nil, "archive this file or folder instead of the usual places (repeatable)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	return cmd
}

func (a *app) archive(ctx context.Context, o pipeline.ArchiveOptions) (pipeline.Report, error) {
	l, err := a.libraryToFill(ctx, o.From)
	if err != nil {
		return pipeline.Report{}, err
	}
	p := a.archiver(l)
	bar := newProgress(a.err)
	defer bar.done()
	p.Progress = bar.show
	r, err := p.Archive(ctx, o)
	if err == nil && len(o.From) > 0 && r.Found == 0 && !r.Skipped() {
		err = noSession(strings.Join(o.From, ", "))
	}
	return r, err
}

// archiver is a pipeline that can archive, and nothing else.
func (a *app) archiver(l *library.Library) *pipeline.Pipeline {
	return &pipeline.Pipeline{Library: l, Readers: a.readers(), Roots: a.roots(), Cache: cacheDir(l)}
}

// printArchived says in one line what was done.
func (a *app) printArchived(r pipeline.Report) {
	parts := []string{}
	for _, p := range []struct {
		n    int
		what string
	}{{r.New, "new"}, {r.Grown, "grown"}, {r.Vanished, "vanished at their source"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "nothing new")
	}
	if r.Bytes > 0 {
		parts = append(parts, size(r.Bytes)+" archived")
	}
	if r.Packed > 0 {
		parts = append(parts, fmt.Sprintf("%d packed, %s smaller", r.Packed, size(r.Saved)))
	}
	if len(r.Problems) > 0 {
		parts = append(parts, fmt.Sprintf("%d skipped", len(r.Problems)))
	}
	fmt.Fprintln(a.out, strings.Join(parts, ", "))
	a.printExpiring(r)
	a.printProblems(r.Problems)
}
