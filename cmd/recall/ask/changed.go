package ask

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/distill/relate"
	"recall/index"
	"recall/library"
	"recall/payload"
)

// ChangedDoc is the JSON form of recall changed.
type ChangedDoc struct {
	Since    time.Time     `json:"since"`
	Decided  []logItemDoc  `json:"decided"`  // decided or ruled out since, oldest first
	Reversed []reversedDoc `json:"reversed"` // what something said since took the place of
	Settled  []reversedDoc `json:"settled"`  // what was open or put off, and something said since settled, perhaps
	Open     []logItemDoc  `json:"open"`     // put off or asked since, and not settled for sure
}

// reversedDoc is an item and what took its place.
type reversedDoc struct {
	Earlier  logItemDoc       `json:"earlier"`
	Later    logItemDoc       `json:"later"`
	Relation payload.Relation `json:"relation"`
	Sure     bool             `json:"sure"`
}

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
			l, err := a.Library(cmd.Context())
			if err != nil {
				return err
			}
			if _, err := a.Fresh(cmd.Context(), l); err != nil {
				return err
			}
			project, err := a.Only(l, f.project, all)
			if err != nil {
				return err
			}
			return runChanged(cmd.Context(), a, l, project, f, asJSON)
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

func runChanged(ctx context.Context, a *app.App, l *library.Library, project string, f queryFlags, asJSON bool) error {
	since, only := f.since.At, []payload.Kind(f.kinds)
	if len(only) == 0 {
		only = changedKinds
	}
	for _, k := range only {
		if !slices.Contains(changedKinds, k) {
			return terminal.WithHint(fmt.Errorf("--kind %s: what changed is told of other kinds", k),
				"recall query --kind %s finds them", k)
		}
	}
	t, err := readTimeline(ctx, a, l, project, changedKinds...)
	if err != nil {
		return err
	}
	doc := ChangedDoc{Since: since.UTC(), Decided: []logItemDoc{}, Reversed: []reversedDoc{}, Settled: []reversedDoc{},
		Open: []logItemDoc{}}
	p := a.Page()
	p.Several = severalProjects(t.items)
	var decided, open []index.Placed
	for _, one := range t.items {
		if one.Item.At.Before(since) || !one.Item.Current() || !slices.Contains(only, one.Item.Kind) {
			continue
		}
		if _, gone := t.hidden[one.Item.ID]; gone {
			continue
		}
		if relate.Left(one.Item.Kind) {
			open = append(open, one)
			doc.Open = append(doc.Open, t.doc(one))
		} else {
			decided = append(decided, one)
			doc.Decided = append(doc.Decided, t.doc(one))
		}
	}
	for _, one := range t.items {
		if !slices.Contains(only, one.Item.Kind) {
			continue
		}
		for _, k := range []payload.Link{t.hidden[one.Item.ID], t.doubted[one.Item.ID]} {
			if k.From == "" || k.Relation == payload.Same || k.At.Before(since) {
				continue
			}
			list := &doc.Reversed
			if relate.Left(one.Item.Kind) {
				list = &doc.Settled
			}
			*list = append(*list, reversedDoc{t.doc(one), t.doc(t.known[k.From]), k.Relation, k.Hides()})
		}
	}
	if asJSON {
		err = a.PrintJSON(doc)
	} else {
		printChanged(&p, t, doc, decided, open)
	}
	if err == nil && len(doc.Decided)+len(doc.Reversed)+len(doc.Settled)+len(doc.Open) == 0 {
		err = app.ExitCode(app.ExitNothing)
	}
	return err
}

func printChanged(p *terminal.Page, t *timeline, doc ChangedDoc, decided, open []index.Placed) {
	if len(doc.Decided)+len(doc.Reversed)+len(doc.Settled)+len(doc.Open) == 0 {
		fmt.Fprintf(p.W, "Nothing was decided, reversed or left open since %s.\n", answer.Day(doc.Since))
		return
	}
	printSection(p, "Decided", decided, t)
	printBecame(p, "Reversed", doc.Reversed, t)
	printBecame(p, "Settled", doc.Settled, t)
	printSection(p, "Left open", open, t)
}

// printBecame lists what something later took the place of.
func printBecame(p *terminal.Page, name string, list []reversedDoc, t *timeline) {
	if len(list) > 0 {
		fmt.Fprintf(p.W, "%s%s%s\n", p.St.Bold, name, p.St.Reset)
	}
	for _, r := range list {
		perhaps := map[bool]string{true: "", false: "perhaps "}[r.Sure]
		if r.Relation == payload.Contradicts {
			perhaps = "in conflict with "
		}
		p.Wrapped("  ", "    ", fmt.Sprintf("%s → %s%s", p.Past(r.Earlier.Placed), perhaps, p.Past(r.Later.Placed)), "")
	}
}

func printSection(p *terminal.Page, name string, items []index.Placed, t *timeline) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(p.W, "%s%s%s\n", p.St.Bold, name, p.St.Reset)
	for _, one := range items {
		printOnLine(p, t, one)
	}
}
