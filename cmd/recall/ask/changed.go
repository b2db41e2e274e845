package ask

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/history"
	"recall/payload"
	"recall/pipeline"
)

func newChangedCmd(a *app.App) *cobra.Command {
	var f queryFlags
	var all, asJSON bool
	cmd := &cobra.Command{
		Use:     "changed",
		Short:   "Tell what was decided, reversed and left open of late",
		GroupID: "ask",
		Long: `Lists what was decided since a day in the project that you are in, which earlier
decisions that reversed, what it settled that was open or put off before, and what
was put off or asked and is still open. Exit code 1 if there is nothing, 2 where no
session worked.`,
		Example: `  recall changed --since 7d
  recall changed --since 2026-04-01 --project billing
  recall changed --all --kind decision`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := option.NotTogether(cmd, "all", "project"); err != nil {
				return err
			}
			for _, k := range f.kinds {
				if !slices.Contains(changedKinds, k) {
					return terminal.WithHint(fmt.Errorf("--kind %s: what changed is told of other kinds", k),
						"recall query --kind %s finds them", k)
				}
			}
			p, err := a.UpToDate(cmd.Context())
			if err != nil {
				return err
			}
			project, err := a.Only(p.Library, f.project, all)
			if err != nil {
				return err
			}
			return runChanged(cmd.Context(), a, p, project, f, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.project, "project", "p", "", "of this project (default: the one you are in)")
	flags.BoolVar(&all, "all", false, "of all projects")
	f.since.Since(flags, "since", "from this day on: 2026-04-17, 2w, yesterday")
	f.since.Preset(flags, "since", "7d")
	flags.VarP(&f.kinds, "kind", "k", "only items of these kinds: decision, eliminated, finding, deferred, question")
	flags.BoolVar(&asJSON, "json", false, "print as JSON")
	cmd.RegisterFlagCompletionFunc("project", option.CompleteProject(a))
	cmd.RegisterFlagCompletionFunc("kind", option.CompleteKind)
	return cmd
}

// changedKinds are the items that may have changed.
var changedKinds = []payload.Kind{payload.Decision, payload.Eliminated, payload.Finding, payload.Deferred,
	payload.Question}

func runChanged(ctx context.Context, a *app.App, p *pipeline.Pipeline, project string, f queryFlags, asJSON bool) error {
	only := []payload.Kind(f.kinds)
	if len(only) == 0 {
		only = changedKinds
	}
	line, err := history.Timeline(ctx, p, project, changedKinds...)
	if err != nil {
		return err
	}
	doc := history.ChangedOf(line, f.since.At, only)
	return a.Show(doc, asJSON, doc.Empty(), func(p *terminal.Page) {
		p.Several = severalProjects(line)
		printChanged(p, doc)
	})
}

func printChanged(p *terminal.Page, doc *history.Changed) {
	if doc.Empty() {
		fmt.Fprintf(p.W, "Nothing was decided, reversed or left open since %s.\n", answer.Day(doc.Since))
	}
	printSection(p, "Decided", doc.Decided, printDated)
	printSection(p, "Reversed", doc.Reversed, printReversed)
	printSection(p, "Settled", doc.Settled, printReversed)
	printSection(p, "Left open", doc.Open, printDated)
}

func printReversed(p *terminal.Page, r history.Reversed) {
	perhaps := map[bool]string{true: "", false: "perhaps "}[r.Sure]
	if r.Relation == payload.Contradicts {
		perhaps = "in conflict with "
	}
	p.Wrapped("  ", "    ", fmt.Sprintf("%s → %s%s", p.Past(r.Earlier.Placed), perhaps, p.Past(r.Later.Placed)), "")
}

func printSection[T any](p *terminal.Page, name string, list []T, print func(*terminal.Page, T)) {
	if len(list) > 0 {
		fmt.Fprintf(p.W, "%s%s%s\n", p.St.Bold, name, p.St.Reset)
	}
	for _, one := range list {
		print(p, one)
	}
}
