package keep

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/pipeline"
)

// packFor is how long an archive packs quiet sessions at most; the next one
// goes on.
const packFor = 2 * time.Minute

func newArchiveCmd(a *app.App) *cobra.Command {
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
			r, err := runArchive(cmd.Context(), a, pipeline.ArchiveOptions{From: from, Pack: packFor})
			if err != nil {
				return err
			}
			if asJSON {
				err = a.PrintJSON(r)
			} else {
				printArchived(a, r)
			}
			if err == nil && r.Skipped() {
				err = app.ExitCode(app.ExitPartial)
			}
			return err
		},
	}
	cmd.Flags().StringArrayVar(&from, "from", nil, "archive this file or folder instead of the usual places (repeatable)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
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
	if err == nil && len(o.From) > 0 && r.Found == 0 && !r.Skipped() {
		err = app.NoSession(strings.Join(o.From, ", "))
	}
	return r, err
}

// printArchived says in one line what was done.
func printArchived(a *app.App, r pipeline.Report) {
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
		parts = append(parts, terminal.Size(r.Bytes)+" archived")
	}
	if r.Packed > 0 {
		parts = append(parts, fmt.Sprintf("%d packed, %s smaller", r.Packed, terminal.Size(r.Saved)))
	}
	if len(r.Problems) > 0 {
		parts = append(parts, fmt.Sprintf("%d skipped", len(r.Problems)))
	}
	fmt.Fprintln(a.Out, strings.Join(parts, ", "))
	a.PrintExpiring(r)
	a.PrintProblems(r.Problems)
}
