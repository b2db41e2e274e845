package ask

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/history"
	"recall/index"
	"recall/payload"
	"recall/pipeline"
)

// timelineKinds are the items that a time line of decisions is about.
var timelineKinds = []payload.Kind{payload.Decision, payload.Eliminated, payload.Finding}

// LogDoc is the JSON form of recall log.
type LogDoc struct {
	Items []history.Dated `json:"items"` // oldest first
}

func newLogCmd(a *app.App) *cobra.Command {
	f := queryFlags{}
	var limit int
	var all, asJSON bool
	cmd := &cobra.Command{
		Use:     "log [TOPIC]",
		Short:   "Show decisions on a time line",
		GroupID: "ask",
		Long: `Lists what was decided, ruled out and found in the project that you are in,
oldest first, with what took whose place. With a topic only what bears on it,
found as recall query finds it. Exit code 1 if there is nothing, 2 where no session
worked.`,
		Example: `  recall log
  recall log retries --project billing
  recall log --since 2w --all
  recall log --kind finding`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(f.check(), option.NotTogether(cmd, "all", "project")); err != nil {
				return err
			}
			if limit < 1 {
				return terminal.WithHint(fmt.Errorf("--limit %d: less than one", limit), "omit it for %s",
					cmd.Flag("limit").DefValue)
			}
			p, err := a.UpToDate(cmd.Context())
			if err != nil {
				return err
			}
			q, err := f.query(strings.Join(args, " "), p.Library, limit)
			if err != nil {
				return err
			}
			if q.Project, err = a.Only(p.Library, f.project, all); err != nil {
				return err
			}
			return runLog(cmd.Context(), a, p, q, limit, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.project, "project", "p", "", "of this project (default: the one you are in)")
	flags.BoolVar(&all, "all", false, "of all projects")
	flags.VarP(&f.kinds, "kind", "k", "only items of these kinds: decision, eliminated, finding, deferred, …")
	f.since.Since(flags, "since", "only from this day on: 2026-04-17, 2w, yesterday")
	f.until.Since(flags, "until", "only before this day")
	flags.IntVarP(&limit, "limit", "n", 40, "most items, the newest ones")
	flags.BoolVar(&asJSON, "json", false, "print as JSON")
	cmd.RegisterFlagCompletionFunc("project", option.CompleteProject(a))
	cmd.RegisterFlagCompletionFunc("kind", option.CompleteKind)
	return cmd
}

func runLog(ctx context.Context, a *app.App, p *pipeline.Pipeline, q index.Query, limit int, asJSON bool) error {
	if len(q.Kinds) == 0 {
		q.Kinds = timelineKinds
	}
	items, err := history.Timeline(ctx, p, q.Project, q.Kinds...)
	if err != nil {
		return err
	}
	keep := map[payload.ItemID]bool{}
	if q.Text != "" {
		q.Limit = 30
		found, err := a.Search(ctx, p.Library, q)
		if err != nil {
			return err
		}
		keep = history.OnTopic(found)
	}
	items = slices.DeleteFunc(items, func(d history.Dated) bool {
		return q.Text != "" && !keep[d.Item.ID] || d.Item.At.Before(q.Since) ||
			!q.Until.IsZero() && !d.Item.At.Before(q.Until)
	})
	doc := LogDoc{Items: items[max(0, len(items)-limit):]}
	return a.Show(doc, asJSON, len(doc.Items) == 0, func(p *terminal.Page) {
		if len(doc.Items) == 0 {
			fmt.Fprintln(p.W, "Nothing was decided about this that recall knows of.")
		}
		p.Several = severalProjects(doc.Items)
		for _, one := range doc.Items {
			printDated(p, one)
		}
	})
}

func severalProjects(items []history.Dated) bool {
	return slices.ContainsFunc(items, func(d history.Dated) bool { return d.Project != items[0].Project })
}

// printDated prints an item on a time line, with what became of it.
func printDated(p *terminal.Page, d history.Dated) {
	it := d.Item
	sign, end := terminal.Mark(it, p.St), ""
	switch {
	case d.Sure:
		sign = p.St.Dim + "◌" + p.St.Reset
		became := it.Kind.Became()
		if d.Link.Relation == payload.Same {
			became = "said again"
		}
		end = " → " + became + " " + answer.Day(d.Link.At)
	case d.By != "":
		end = " → " + d.Link.Doubt().Word(it.Kind) + " " + answer.Day(d.Link.At)
	case !it.Current():
		end = " → " + string(it.State)
	}
	text := strings.TrimRight(p.Sentence(it), ".")
	p.Wrapped(fmt.Sprintf("%s%s%s %s ", p.St.Dim, answer.Day(it.At), p.St.Reset, sign), "             ",
		fmt.Sprintf("%s (%s)%s", text, p.Where(d.Place, d.Turn, false), end), "")
}
