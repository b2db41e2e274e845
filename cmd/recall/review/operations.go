package review

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/index"
	"recall/internal/hint"
	"recall/internal/text"
	"recall/payload"
	"recall/pipeline"
	"recall/pipeline/review"
)

// noRelation takes back whatever links two items.
const noRelation = "none"

func newLinkCmd(a *app.App) *cobra.Command {
	relations := append(text.Strings(payload.Relations), noRelation)
	return option.Run(a, "review-link", nil, func(ctx context.Context, args []string) error {
		link := payload.Link{Op: payload.OpLink, Relation: payload.Relation(strings.ToLower(args[1]))}
		switch {
		case link.Relation == noRelation:
			link = payload.Link{Op: payload.OpRetract}
		case !slices.Contains(relations, string(link.Relation)):
			return hint.With(fmt.Errorf("%q is not a relation", args[1]), "use one of %s", strings.Join(relations, ", "))
		}
		return linkItems(ctx, a, link, args[0], args[2])
	})
}

// linkItems adds a person's link to the library and the index.
func linkItems(ctx context.Context, a *app.App, link payload.Link, from, to string) error {
	if err := a.Lib.ReadOnly(); err != nil {
		return err
	}
	var ends [2]index.Placed
	for i, arg := range []string{from, to} {
		var err error
		if ends[i], err = a.Item(ctx, arg); err != nil {
			return err
		}
	}
	if err := review.Relate(a.Lib, link, ends, [2]string{from, to}, app.Author()); err != nil {
		return err
	}
	if err := a.OnIndex(ctx, func(p *pipeline.Pipeline) error {
		problems, err := p.Relate(ctx)
		a.PrintProblems(problems)
		return err
	}); err != nil {
		return err
	}
	verb := string(link.Relation)
	switch {
	case link.Op == payload.OpRetract:
		verb = "no longer linked to"
	case link.Relation == payload.Same:
		verb = "says the same as"
	}
	pg := a.Page()
	past := func(of index.Placed) string { return pg.Wrapped("  ", "  ", pg.Past(of), "") }
	return a.Print(past(ends[0]) + verb + "\n" + past(ends[1]))
}

// newThreadCmd makes the command that joins the threads of two sessions, or splits them.
func newThreadCmd(a *app.App, op payload.CorrectionOp) *cobra.Command {
	yes := false
	return option.Run(a, "review-"+string(op), func(fs *option.Flags) {
		if op == payload.Join {
			fs.BoolVar(&yes, "yes", false, "don't ask")
		}
	}, func(ctx context.Context, args []string) error {
		both, err := a.Sessions(args)
		switch {
		case err != nil:
			return err
		case both[0].ID == both[1].ID:
			return hint.With(fmt.Errorf("%q and %q are the same session", args[0], args[1]),
				"name two sessions; recall thread shows them")
		}
		done := "two threads from now on"
		if op == payload.Join {
			done = "one thread from now on"
			if err := a.RequireYes(ctx, yes || both[0].Project == both[1].Project,
				"review join: they belong to two projects",
				"They belong to two projects. Make them one thread?"); err != nil {
				return err
			}
		}
		err = a.Lib.Correct(payload.Correction{Op: op, A: string(both[0].ID), B: string(both[1].ID),
			At: time.Now().UTC().Truncate(time.Millisecond)})
		if err == nil {
			fmt.Fprintln(a.Out, done)
		}
		return err
	})
}
