package review

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/index"
	"recall/internal/hint"
	"recall/internal/text"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
	"recall/pipeline/review"
)

type reviewOptions struct {
	Project      string
	Since        option.Day
	JSON, Accept bool
}

func newReviewCmd(a *app.App) *cobra.Command {
	var o reviewOptions
	cmd := option.Run(a, "review", func(fs *option.Flags) {
		fs.BoolVar(&o.Accept, "accept", false, "keep everything that is waiting, without asking")
		fs.BoolVar(&o.JSON, "json", false, "print what is waiting as JSON, and change nothing")
		fs.StringVarP(&o.Project, "project", "p", "", "only this project")
		fs.Since(&o.Since, "since", "only sessions since then: 2026-04-17, 3d, 2w")
		fs.Apart("json", "accept")
	}, func(ctx context.Context, args []string) error {
		entries, err := toReview(a, args, o)
		if err != nil {
			return err
		}
		return runReview(ctx, a, entries, len(args) > 0, o)
	})
	cmd.Args = cobra.MaximumNArgs(1)
	cmd.AddCommand(newLinkCmd(a), newThreadCmd(a, payload.Join), newThreadCmd(a, payload.Split))
	return cmd
}

// toReview lists the sessions to review, newest first.
func toReview(a *app.App, args []string, o reviewOptions) ([]library.Entry, error) {
	if len(args) > 0 {
		e, err := a.Session(args[0])
		return []library.Entry{e}, err
	}
	id, err := a.ProjectID(o.Project)
	if err != nil {
		return nil, err
	}
	catalog, err := a.Lib.Catalog()
	if err != nil {
		return nil, err
	}
	entries := slices.DeleteFunc(slices.Clone(catalog.In(id)),
		func(e library.Entry) bool { return e.Helper || e.End.Before(o.Since.At) })
	slices.SortStableFunc(entries, func(a, b library.Entry) int { return b.End.Compare(a.End) })
	return entries, nil
}

func runReview(ctx context.Context, a *app.App, entries []library.Entry, one bool, o reviewOptions) error {
	catalog, err := a.Lib.Catalog()
	if err != nil {
		return err
	}
	w, err := review.Read(ctx, a.Lib, a.IndexIfThere(), catalog, entries)
	if err != nil {
		return err
	}
	a.PrintProblems(w.Broken)
	if !one {
		id, err := a.ProjectID(o.Project)
		if err != nil {
			return err
		}
		if w.Received, err = review.Received(a.Lib, id); err != nil {
			return err
		}
		if !o.Accept {
			w.OnlyClaims()
		}
	}
	switch {
	case o.JSON:
		if err := a.PrintJSON(w); err != nil || w.Empty() {
			return err
		}
		return app.ExitCode(app.ExitNothing)
	case o.Accept:
		return acceptAll(ctx, a, w)
	case w.Empty():
		fmt.Fprintln(a.Out, "nothing new to review")
		tellOthers(a, w)
		return nil
	case !terminal.IsTerminal(a.Out):
		printWaiting(a, w)
		return app.ExitCode(app.ExitNothing)
	}
	if err := a.Lib.ReadOnly(); err != nil {
		return err
	}
	r := NewReviewer(ctx, a)
	err = r.Walk(w)
	return errors.Join(err, r.Finish())
}

// editPage opens a session's payload.md in the editor and syncs the changes.
func editPage(ctx context.Context, a *app.App, e library.Entry) error {
	if _, err := a.Payload(e); err != nil {
		return err
	}
	if err := runEditor(ctx, a, filepath.Join(e.Folder, "payload.md")); err != nil {
		return err
	}
	report, err := a.Sync(ctx, pipeline.Options{Only: e.ID})
	if err != nil {
		return err
	}
	for _, p := range report.Problems {
		return hint.With(p, "your text is kept; correct the line and run this again")
	}
	if report.Edited == 0 {
		fmt.Fprintln(a.Out, "nothing changed")
	} else {
		fmt.Fprintln(a.Out, "saved; your edits override what is distilled")
	}
	return nil
}

func acceptAll(ctx context.Context, a *app.App, w *review.Waiting) error {
	all := slices.Concat(w.Received, w.Items)
	if err := review.Keep(a.Lib, all, app.Author()); err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "%s kept", answer.Count(len(all), "item"))
	if n := len(w.Received); n > 0 {
		fmt.Fprintf(a.Out, ", %d of them handed over", n)
		if err := a.IndexReceived(ctx); err != nil {
			return err
		}
	}
	if n := len(w.Conflicts); n > 0 {
		fmt.Fprintf(a.Out, "; %s still to be settled: recall review", answer.Count(n, "conflict"))
	}
	fmt.Fprintln(a.Out)
	return nil
}

// printWaiting prints the list where nobody can be asked.
func printWaiting(a *app.App, w *review.Waiting) {
	p := a.Page()
	p.Bare = true
	for _, c := range w.Conflicts {
		printContradiction(&p, c)
	}
	for _, u := range w.Received {
		p.Form("unseen", u)
	}
	last := ""
	for _, u := range w.Items {
		if u.Session != last {
			last = u.Session
			fmt.Fprintf(a.Out, "\n%s\n", p.Where(u.Place, 0, true))
		}
		p.Form("unseen", u)
	}
	fmt.Fprintf(a.Out, "\n%s to review, %s; on a terminal recall review asks about them one by one\n",
		answer.Count(len(w.Items)+len(w.Received), "item"), answer.Count(len(w.Conflicts), "conflict"))
	tellOthers(a, w)
}

// tellOthers reports what a review leaves out.
func tellOthers(a *app.App, w *review.Waiting) {
	if w.Others > 0 {
		fmt.Fprintf(a.Err, "recall: %s left out that decide nothing; recall review SESSION shows a session's\n",
			answer.Count(w.Others, "other item"))
	}
	if slices.ContainsFunc(w.Received, func(u review.Unseen) bool { return u.Nowhere }) {
		fmt.Fprintln(a.Err, "recall: handed over for no project here yet: recall resume NAME hands on what you "+
			"accept; recall import FILE --project NAME chooses one")
	}
}

func printContradiction(p *terminal.Page, c review.Conflict) {
	p.Form("conflict", c)
	for _, u := range []review.Unseen{c.Newer, c.Older} {
		p.Form("unseen", u)
	}
}

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
			return hint.With(fmt.Errorf("%q is not a relation", args[1]), "use one of %s",
				strings.Join(relations, ", "))
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
			for _, e := range both {
				fmt.Fprintf(a.Out, "%s  %s\n", payload.ShortID(e.ID), terminal.Line(e.Title))
			}
			fmt.Fprintln(a.Out, done)
		}
		return err
	})
}
