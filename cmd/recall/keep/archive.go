package keep

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/pipeline"
)

// packFor is how long an archive packs quiet sessions at most; the next one
// goes on.
const packFor = 2 * time.Minute

func newArchiveCmd(a *app.App) *cobra.Command {
	var from []string
	cmd := option.Result(a, &cobra.Command{
		Use:   "archive",
		Short: "Make new bytes safe, and nothing else",
	}, func(ctx context.Context, _ []string) (pipeline.Report, error) {
		return runArchive(ctx, a, pipeline.ArchiveOptions{From: from, Pack: packFor})
	}, func(a *app.App, r pipeline.Report) {
		fmt.Fprintln(a.Out, strings.Join(app.Did(r), ", "))
		a.PrintExpiring(r)
		a.PrintProblems(r.Problems)
	})
	cmd.Flags().StringArrayVar(&from, "from", nil, "archive this file or folder instead of the usual places (repeatable)")
	return cmd
}

func runArchive(ctx context.Context, a *app.App, o pipeline.ArchiveOptions) (pipeline.Report, error) {
	l, err := a.LibraryToFill(ctx, o.From)
	if err != nil {
		return pipeline.Report{}, err
	}
	p := a.Archiver(l)
	bar := terminal.NewProgress(a.Err)
	defer bar.Done()
	p.Progress = bar.Show
	r, err := p.Archive(ctx, o)
	switch {
	case err == nil && r.Skipped():
		err = app.ExitCode(app.ExitPartial)
	case err == nil && len(o.From) > 0 && r.Found == 0:
		err = app.NoSession(strings.Join(o.From, ", "))
	}
	return r, err
}
