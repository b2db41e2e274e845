package review

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/distill/relate"
	"recall/index"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

func newRelateCmd(a *app.App) *cobra.Command {
	var retract bool
	cmd := &cobra.Command{
		Use:     "relate ITEM RELATION ITEM",
		Short:   "Say how one decision bears on another, or take it back",
		GroupID: "keep",
		Long: `Says that the first item supersedes, refines or contradicts the second, or says
the same. What you say goes before what recall finds by itself, for good; with
--retract it takes back whatever ties the two. An item that is superseded is
shown only as the history of what took its place.

Items are named by their number in the last answer or by their id. It is kept
in links.jsonl of the project; nothing is deleted.`,
		Example: `  recall relate 1 supersedes 3
  recall relate k3v9t2m8qa contradicts b7xw4c5d2e
  recall relate --retract k3v9t2m8qa b7xw4c5d2e`,
		Args: func(_ *cobra.Command, args []string) error {
			want, form := 3, "recall relate 1 supersedes 3"
			if retract {
				want, form = 2, "recall relate --retract 1 3"
			}
			if len(args) != want {
				return terminal.WithHint(fmt.Errorf("relate: got %s, want %d", answer.Count(len(args), "argument"),
					want),
					"like this: %s", form)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			link := payload.Link{Op: payload.OpRetract}
			if !retract {
				link.Op, link.Relation = payload.OpLink, payload.Relation(strings.ToLower(args[1]))
				if !slices.Contains(payload.Relations, link.Relation) {
					return terminal.WithHint(fmt.Errorf("%q is no relation", args[1]),
						"relations are supersedes, refines, contradicts, same")
				}
			}
			l, err := a.Library(cmd.Context())
			if err != nil {
				return err
			}
			return runRelate(cmd.Context(), a, l, link, args[0], args[len(args)-1])
		},
	}
	cmd.Flags().BoolVar(&retract, "retract", false, "take back what ties two items")
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) != 1 || retract {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names []string
		for _, r := range payload.Relations {
			names = append(names, string(r))
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	return cmd
}

// runRelate adds a person's word to the library and the index.
func runRelate(ctx context.Context, a *app.App, l *library.Library, link payload.Link, from, to string) error {
	if err := l.ReadOnly(); err != nil {
		return err
	}
	var ends [2]index.Placed
	for i, arg := range []string{from, to} {
		var err error
		if ends[i], err = a.Item(ctx, l, arg); err != nil {
			return err
		}
	}
	for i, end := range ends {
		if end.Source == index.Handed {
			return terminal.WithHint(fmt.Errorf("%s was %s: it stands in no session here, so nothing can be tied to it",
				[]string{from, to}[i], end.SessionTitle),
				"say what holds now in a session of yours, or have its agent note it (recall_note): that can be tied")
		}
	}
	later, earlier := ends[0], ends[1]
	if later.Item.ID == earlier.Item.ID {
		return fmt.Errorf("%s and %s are the same item", from, to)
	}
	if later.Project != earlier.Project {
		return terminal.WithHint(fmt.Errorf("they are of two projects, %s and %s", later.Project, earlier.Project),
			"recall project merge makes them one")
	}
	if a, b := later.Item.Kind, earlier.Item.Kind; link.Op == payload.OpLink && !relate.Comparable(a, b) {
		return terminal.WithHint(fmt.Errorf("one of them is of kind %s, the other of kind %s: neither bears on the other", a,
			b),
			"a goal is tied to goals only, and so are next steps, files and statuses; "+
				"if the kind is wrong, move its line under the right heading with recall edit")
	}
	if link.Op == payload.OpRetract {
		lines, _, err := l.Links()
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(payload.StandingLinks(lines), func(k payload.Link) bool {
			return k.From == later.Item.ID && k.To == earlier.Item.ID || k.From == earlier.Item.ID && k.To == later.Item.ID
		}) {
			return terminal.WithHint(fmt.Errorf("nothing ties %s and %s", from, to),
				"recall why ITEM lists what bears on an item; numbers are those of the last answer")
		}
	}
	link.From, link.FromSession, link.FromEvidence = later.Item.ID, later.Session, firstEvidence(later.Item)
	link.To, link.ToSession, link.ToEvidence = earlier.Item.ID, earlier.Session, firstEvidence(earlier.Item)
	link.Maker, link.Who, link.Said = payload.ByHuman, app.Author(), time.Now().UTC().Truncate(time.Second)
	if link.At = later.Item.At; earlier.Item.At.After(link.At) { // the old one was right
		link.At = earlier.Item.At
	}
	lines := []payload.Link{link}
	if link.Op == payload.OpRetract { // whichever way round it was
		back := link
		back.From, back.To, back.FromSession, back.ToSession, back.FromEvidence, back.ToEvidence = link.To, link.From, link.ToSession, link.FromSession, link.ToEvidence, link.FromEvidence
		lines = append(lines, back)
	}
	if err := l.AppendLinks(lines); err != nil {
		return err
	}
	if err := a.OnIndex(ctx, l, func(p *pipeline.Pipeline) error {
		problems, err := p.Relate(ctx)
		a.PrintProblems(problems)
		return err
	}); err != nil {
		return err
	}
	verb := "no longer tied to"
	if link.Op == payload.OpLink {
		verb = map[payload.Relation]string{payload.Same: "says the same as"}[link.Relation]
		if verb == "" {
			verb = string(link.Relation)
		}
	}
	pg := a.Page()
	pg.Wrapped("  ", "  ", pg.Past(later), "")
	fmt.Fprintln(a.Out, verb)
	pg.Wrapped("  ", "  ", pg.Past(earlier), "")
	return nil
}

func firstEvidence(it payload.Item) *payload.Evidence {
	if len(it.Evidence) == 0 {
		return nil
	}
	return &it.Evidence[0]
}
