package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/distill/relate"
	"recall/index"
	"recall/library"
	"recall/payload"
)

// changedDoc is the JSON form of recall changed.
type changedDoc struct {
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

func (a *app) changedCmd() *cobra.Command {
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
			if err := notTogether(cmd, "all", "project"); err != nil {
				return err
			}
			l, err := a.library(cmd.Context())
			if err != nil {
				return err
			}
			if _, err := a.fresh(cmd.Context(), l); err != nil {
				return err
			}
			project, err := a.only(l, f.project, all)
			if err != nil {
				return err
			}
			return a.changed(cmd.Context(), l, project, f, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.project, "project", "p", "", "of this project (default: the one you are in)")
	flags.BoolVar(&all, "all", false, "of all projects")
	f.since.since(flags, "since", "from this day on: 2026-04-17, 2w, yesterday")
	f.since.preset(flags, "since", "7d")
	flags.VarP(&f.kinds, "kind", "k", "only items of these kinds: decision, eliminated, finding, deferred, question")
	flags.BoolVar(&asJSON, "json", false, "print as JSON")
	cmd.RegisterFlagCompletionFunc("project", completeProject(a))
	cmd.RegisterFlagCompletionFunc("kind", completeKind)
	return cmd
}

// changedKinds are the items that may have changed.
var changedKinds = []payload.Kind{payload.Decision, payload.Eliminated, payload.Finding, payload.Deferred, payload.Question}

func (a *app) changed(ctx context.Context, l *library.Library, project string, f queryFlags, asJSON bool) error {
	since, only := f.since.at, []payload.Kind(f.kinds)
	if len(only) == 0 {
		only = changedKinds
	}
	for _, k := range only {
		if !slices.Contains(changedKinds, k) {
			return withHint(fmt.Errorf("--kind %s: what changed is told of other kinds", k), "recall query --kind %s finds them", k)
		}
	}
	t, err := a.timeline(ctx, l, project, changedKinds...)
	if err != nil {
		return err
	}
	doc := changedDoc{Since: since.UTC(), Decided: []logItemDoc{}, Reversed: []reversedDoc{}, Settled: []reversedDoc{}, Open: []logItemDoc{}}
	p := page{Voice: answer.Voice{Several: severalProjects(t.items)}, w: a.out, st: styles(a.color), width: width(a.out)}
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
		err = a.printJSON(doc)
	} else {
		p.changed(t, doc, decided, open)
	}
	if err == nil && len(doc.Decided)+len(doc.Reversed)+len(doc.Settled)+len(doc.Open) == 0 {
		err = exitCode(exitNothing)
	}
	return err
}

func (p *page) changed(t *timeline, doc changedDoc, decided, open []index.Placed) {
	if len(doc.Decided)+len(doc.Reversed)+len(doc.Settled)+len(doc.Open) == 0 {
		fmt.Fprintf(p.w, "Nothing was decided, reversed or left open since %s.\n", day(doc.Since))
		return
	}
	p.section("Decided", decided, t)
	p.became("Reversed", doc.Reversed, t)
	p.became("Settled", doc.Settled, t)
	p.section("Left open", open, t)
}

// became lists what something later took the place of.
func (p *page) became(name string, list []reversedDoc, t *timeline) {
	if len(list) > 0 {
		fmt.Fprintf(p.w, "%s%s%s\n", p.st.bold, name, p.st.reset)
	}
	for _, r := range list {
		perhaps := map[bool]string{true: "", false: "perhaps "}[r.Sure]
		if r.Relation == payload.Contradicts {
			perhaps = "in conflict with "
		}
		p.wrapped("  ", "    ", fmt.Sprintf("%s → %s%s", p.Past(r.Earlier.Placed), perhaps, p.Past(r.Later.Placed)), "")
	}
}

func (p *page) section(name string, items []index.Placed, t *timeline) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(p.w, "%s%s%s\n", p.st.bold, name, p.st.reset)
	for _, one := range items {
		p.onLine(t, one)
	}
}
