package ask

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/index"
	"recall/index/rank"
	"recall/library"
	"recall/payload"
)

// timeline are a project's items by time, with what took whose place.
type timeline struct {
	items   []index.Placed                  // oldest first
	hidden  map[payload.ItemID]payload.Link // by the earlier item: what took its place for sure
	doubted map[payload.ItemID]payload.Link // the same, not for sure
	known   map[payload.ItemID]index.Placed
}

// timelineKinds are the items that a time line of decisions is about.
var timelineKinds = []payload.Kind{payload.Decision, payload.Eliminated, payload.Finding}

// readTimeline reads the items of a project, "" for all, with their links.
func readTimeline(ctx context.Context, a *app.App, l *library.Library, project string,
	kinds ...payload.Kind) (*timeline, error) {
	if err := a.Indexed(ctx, l); err != nil {
		return nil, err
	}
	shelf, err := app.NewShelf(l)
	if err != nil {
		return nil, err
	}
	t := &timeline{hidden: map[payload.ItemID]payload.Link{}, doubted: map[payload.ItemID]payload.Link{},
		known: map[payload.ItemID]index.Placed{}}
	if t.items, err = a.Index.ItemsIn(ctx, project, kinds...); err != nil {
		return nil, err
	}
	numbers := map[string]int{}
	for id, n := range shelf.Number {
		numbers[string(id)] = n
	}
	for i := range t.items {
		t.items[i].SessionN = numbers[t.items[i].Session]
		t.known[t.items[i].Item.ID] = t.items[i]
	}
	links, err := a.Index.Links(ctx)
	if err != nil {
		return nil, err
	}
	ends := map[payload.ItemID][]payload.Link{}
	for _, k := range links {
		if _, ok := t.known[k.To]; ok {
			ends[k.To] = append(ends[k.To], k)
		}
	}
	for id, links := range ends {
		by, sure := payload.Overtaken(id, links, func(k payload.Link) bool {
			from, ok := t.known[k.From]
			return ok && from.Item.Current()
		})
		switch {
		case sure:
			t.hidden[id] = *by
		case by != nil:
			t.doubted[id] = *by
		}
	}
	return t, nil
}

// LogDoc is the JSON form of recall log.
type LogDoc struct {
	Items []logItemDoc `json:"items"` // oldest first
}

// logItemDoc is an item on a time line.
type logItemDoc struct {
	index.Placed
	Until *time.Time     `json:"until,omitempty"` // when something took its place
	By    payload.ItemID `json:"by,omitempty"`    // that something
	Sure  bool           `json:"sure"`            // it did for sure; false also where nothing did
}

func (t *timeline) doc(p index.Placed) logItemDoc {
	d := logItemDoc{Placed: p}
	k, sure := t.hidden[p.Item.ID]
	if !sure {
		k = t.doubted[p.Item.ID]
	}
	if k.From != "" {
		d.Until, d.By, d.Sure = &k.At, k.From, sure
	}
	return d
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
			l, err := a.Library(cmd.Context())
			if err != nil {
				return err
			}
			q, err := f.query(strings.Join(args, " "), l, limit)
			if err != nil {
				return err
			}
			if _, err := a.Fresh(cmd.Context(), l); err != nil {
				return err
			}
			if q.Project, err = a.Only(l, f.project, all); err != nil {
				return err
			}
			return runLog(cmd.Context(), a, l, q, limit, asJSON)
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

func runLog(ctx context.Context, a *app.App, l *library.Library, q index.Query, limit int, asJSON bool) error {
	if len(q.Kinds) == 0 {
		q.Kinds = timelineKinds
	}
	t, err := readTimeline(ctx, a, l, q.Project, q.Kinds...)
	if err != nil {
		return err
	}
	keep := map[payload.ItemID]bool{}
	if q.Text != "" {
		if keep, err = onTopic(ctx, a, l, q); err != nil {
			return err
		}
	}
	items := slices.DeleteFunc(slices.Clone(t.items), func(p index.Placed) bool {
		return q.Text != "" && !keep[p.Item.ID] || p.Item.At.Before(q.Since) ||
			!q.Until.IsZero() && !p.Item.At.Before(q.Until)
	})
	items = items[max(0, len(items)-limit):]
	if asJSON {
		doc := LogDoc{Items: []logItemDoc{}}
		for _, p := range items {
			doc.Items = append(doc.Items, t.doc(p))
		}
		err = a.PrintJSON(doc)
	} else {
		printLog(a, t, items)
	}
	if err == nil && len(items) == 0 {
		err = app.ExitCode(app.ExitNothing)
	}
	return err
}

// onTopic are the items that a search finds for a topic, with all that they
// took the place of or that may bear on them.
func onTopic(ctx context.Context, a *app.App, l *library.Library, q index.Query) (map[payload.ItemID]bool, error) {
	q.Limit = 30
	found, err := a.Search(ctx, l, q)
	if err != nil {
		return nil, err
	}
	keep := map[payload.ItemID]bool{}
	if found.Unknown {
		return keep, nil
	}
	take := func(about func(index.Hit) bool) {
		for _, h := range found.Hits {
			if !about(h) {
				continue
			}
			keep[h.Item.ID] = true
			for _, l := range slices.Concat(h.History, h.Conflict, h.Related) {
				keep[l.Item.ID] = true
			}
		}
	}
	listed := len(found.Listed) > 0 // the topic names none
	take(func(h index.Hit) bool { return listed || len(h.Terms) > 0 })
	if len(keep) == 0 { // found by other words than the topic's alone
		take(func(h index.Hit) bool { return h.Look[rank.Kindred] > 0 })
	}
	return keep, nil
}

func printLog(a *app.App, t *timeline, items []index.Placed) {
	p := a.Page()
	p.Several = severalProjects(items)
	if len(items) == 0 {
		fmt.Fprintln(a.Out, "Nothing was decided about this that recall knows of.")
		return
	}
	for _, one := range items {
		printOnLine(&p, t, one)
	}
}

func severalProjects(items []index.Placed) bool {
	for _, one := range items {
		if one.Project != items[0].Project {
			return true
		}
	}
	return false
}

// printOnLine prints an item on a time line, with what became of it.
func printOnLine(p *terminal.Page, t *timeline, one index.Placed) {
	it := one.Item
	sign, end := terminal.Mark(it, p.St), ""
	if k, ok := t.hidden[it.ID]; ok {
		sign = p.St.Dim + "◌" + p.St.Reset
		end = " → " + map[bool]string{true: "said again", false: it.Kind.Became()}[k.Relation == payload.Same] + " " +
			answer.Day(k.At)
	} else if k, ok := t.doubted[it.ID]; ok {
		end = " → " + k.Doubt().Word(it.Kind) + " " + answer.Day(k.At)
	} else if !it.Current() {
		end = " → " + string(it.State)
	}
	text := strings.TrimRight(p.Sentence(it), ".")
	p.Wrapped(fmt.Sprintf("%s%s%s %s ", p.St.Dim, answer.Day(it.At), p.St.Reset, sign), "             ",
		fmt.Sprintf("%s (%s)%s", text, p.Where(one.Place, one.Turn, false), end), "")
}
