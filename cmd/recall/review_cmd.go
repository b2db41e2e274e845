package main

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
	"recall/index"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

type reviewOptions struct {
	project                string
	since                  dayFlag
	editor, asJSON, accept bool
}

func (a *app) reviewCmd() *cobra.Command {
	var o reviewOptions
	cmd := &cobra.Command{
		Use:     "review [SESSION]",
		Short:   "Look through what is new or changed, and settle what contradicts",
		GroupID: "keep",
		Long: `Shows what was distilled and nobody has looked at as it is now: first the items
that contradict one another, with both quotes, then what other people handed
over (recall import), then item by item, the newest session first. At each you
keep it, write it anew, drop it for good, pin it, or quit; what you said so far
is kept and not asked again. Your word always wins, over every later
distillation too.

With --editor payload.md is opened instead ($VISUAL, $EDITOR), and all of it
counts as looked at when you close it. Where there is no terminal the list is
printed; the exit code is then 1 while something waits for you.`,
		Example: `  recall review
  recall review "Retry policy"
  recall review 7f3c --editor
  recall review --since 1w --project billing --json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeSession(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := notTogether(cmd, "editor", "json", "accept"); err != nil {
				return err
			}
			if o.editor && len(args) == 0 {
				return withHint(errors.New("review: --editor opens one session's payload.md"), "name it: recall review SESSION --editor")
			}
			l, err := a.library(cmd.Context())
			if err != nil {
				return err
			}
			entries, err := a.toReview(l, args, o)
			if err != nil {
				return err
			}
			return a.review(cmd.Context(), l, entries, len(args) > 0, o)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.project, "project", "p", "", "only this project")
	o.since.since(flags, "since", "only sessions from then on: 2026-04-17, 3d, 2w")
	flags.BoolVar(&o.editor, "editor", false, "edit payload.md instead")
	flags.BoolVar(&o.accept, "accept", false, "keep all that waits, unasked")
	flags.BoolVar(&o.asJSON, "json", false, "print as JSON what waits, change nothing")
	cmd.RegisterFlagCompletionFunc("project", completeProject(a))
	return cmd
}

// toReview lists the sessions that are meant, the newest first.
func (a *app) toReview(l *library.Library, args []string, o reviewOptions) ([]library.Entry, error) {
	if len(args) > 0 {
		e, err := a.session(l, args[0])
		return []library.Entry{e}, err
	}
	id, err := projectID(l, o.project)
	if err != nil {
		return nil, err
	}
	shelf, err := newShelf(l)
	if err != nil {
		return nil, err
	}
	entries := slices.DeleteFunc(slices.Clone(shelf.in(id)), func(e library.Entry) bool { return e.Helper || e.End.Before(o.since.at) })
	slices.SortStableFunc(entries, func(a, b library.Entry) int { return b.End.Compare(a.End) })
	return entries, nil
}

func (a *app) review(ctx context.Context, l *library.Library, entries []library.Entry, one bool, o reviewOptions) error {
	w, err := a.waiting(l, entries)
	if err != nil {
		return err
	}
	if !one {
		id, err := projectID(l, o.project)
		if err != nil {
			return err
		}
		if w.Received, err = received(l, id); err != nil {
			return err
		}
		if id != "" && !o.asJSON {
			a.tellNowhere(l)
		}
	}
	switch {
	case o.asJSON:
		if err := a.printJSON(w); err != nil || w.empty() {
			return err
		}
		return exitCode(exitNothing)
	case o.editor:
		return a.reviewInEditor(ctx, l, entries[0])
	case o.accept:
		return a.acceptAll(ctx, l, w)
	case w.empty():
		fmt.Fprintln(a.out, "nothing new to review")
		return nil
	case !isTerminal(a.out):
		a.printWaiting(w)
		return exitCode(exitNothing)
	}
	if err := l.ReadOnly(); err != nil {
		return err
	}
	r := &reviewer{app: a, ctx: ctx, l: l, lines: newLines(ctx, a.in), touched: map[string]bool{}}
	r.p = page{w: a.out, st: styles(a.color), width: width(a.out), bare: true}
	r.p.Several = w.several
	err = r.walk(w)
	return errors.Join(err, r.finish())
}

// tellNowhere says that something was handed over for no project here, where only
// one project's is looked through.
func (a *app) tellNowhere(l *library.Library) {
	all, err := received(l, "")
	if err != nil {
		return // said by the review itself
	}
	n := 0
	for _, u := range all {
		if u.nowhere {
			n++
		}
	}
	if n > 0 {
		fmt.Fprintf(a.err, "recall: %s handed over for no project here; recall review without --project shows what\n", count(n, "item"))
	}
}

// reviewInEditor is recall edit, after which all that the page showed counts as
// looked at.
func (a *app) reviewInEditor(ctx context.Context, l *library.Library, e library.Entry) error {
	if _, err := a.payload(l, e); err != nil {
		return err
	}
	if err := a.editPage(ctx, l, e); err != nil {
		return err
	}
	w, err := a.waiting(l, []library.Entry{e})
	if err != nil || len(w.Items) == 0 {
		return err
	}
	return l.AppendEdits(e.ID, keeps(w.Items))
}

// editPage opens a session's payload.md in the editor and takes over what
// was changed.
func (a *app) editPage(ctx context.Context, l *library.Library, e library.Entry) error {
	if err := a.runEditor(ctx, filepath.Join(e.Folder, "payload.md")); err != nil {
		return err
	}
	report, err := a.takeIn(ctx, l, pipeline.Options{Only: e.ID})
	if err != nil {
		return err
	}
	for _, p := range report.Problems {
		return withHint(fmt.Errorf("%s: %s", p.Path, p.Reason), "your text is kept as it is; mend the line and run it again")
	}
	if report.Edited == 0 {
		fmt.Fprintln(a.out, "nothing changed")
	} else {
		fmt.Fprintln(a.out, "taken over; your words win over what is distilled")
	}
	return nil
}

func (a *app) acceptAll(ctx context.Context, l *library.Library, w *waiting) error {
	for from := 0; from < len(w.Items); {
		to := from
		for to < len(w.Items) && w.Items[to].entry.ID == w.Items[from].entry.ID {
			to++
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := l.AppendEdits(w.Items[from].entry.ID, keeps(w.Items[from:to])); err != nil {
			return err
		}
		from = to
	}
	fmt.Fprintf(a.out, "%s kept", count(len(w.Items), "item"))
	if n := len(w.Received); n > 0 { // another person's word is taken over one by one
		fmt.Fprintf(a.out, "; %d handed over still wait: recall review", n)
	}
	if n := len(w.Conflicts); n > 0 {
		fmt.Fprintf(a.out, "; %s still to be settled: recall review, or recall relate", count(n, "conflict"))
	}
	fmt.Fprintln(a.out)
	return nil
}

// keeps says of each item that it was looked at.
func keeps(items []unseen) []payload.Edit {
	var edits []payload.Edit
	for i := range items {
		edits = append(edits, kept(items[i].Item))
	}
	return edits
}

func kept(it payload.Item) payload.Edit {
	e := newEdit(payload.OpKeep, it.ID)
	e.Seen = payload.Look(&it)
	return e
}

// newEdit is this person's doing, now.
func newEdit(op payload.Op, id payload.ItemID) payload.Edit {
	return payload.Edit{Op: op, ID: id, At: time.Now().UTC().Truncate(time.Second), Who: author()}
}

// printWaiting is the list for where nobody can be asked.
func (a *app) printWaiting(w *waiting) {
	p := page{w: a.out, st: styles(a.color), width: width(a.out), bare: true}
	p.Several = w.several
	for _, c := range w.Conflicts {
		p.contradiction(c)
	}
	for _, u := range w.Received {
		p.unseen(u)
	}
	last := ""
	for _, u := range w.Items {
		if s := string(u.entry.ID); s != last {
			last = s
			fmt.Fprintf(a.out, "\n%s\n", p.Where(u.Place, 0, true))
		}
		p.unseen(u)
	}
	fmt.Fprintf(a.out, "\n%s to look at, %s; on a terminal recall review asks one by one\n", count(len(w.Items)+len(w.Received), "item"), count(len(w.Conflicts), "conflict"))
}

func (p *page) unseen(u unseen) {
	state := answer.State(u.Item)
	if u.Changed {
		state = "changed since you looked · " + state
	}
	p.headline(u.Item, state)
	if u.handoff == "" {
		p.support(u.Item, u.Place, u.Turn)
		return
	}
	p.field("why", u.Why)
	p.field("from", strings.TrimSpace(oneLine(u.From)+" · handed over · "+oneLine(u.Place.Project)))
	if u.nowhere {
		p.field("for", "no project here, so for no session: recall import FILE --project NAME says which")
	}
	if len(u.Evidence) > 0 {
		p.quote("", u.Evidence[0].Quote)
	}
}

func (p *page) contradiction(c conflict) {
	what := "2 items contradict one another; which one stands is open:"
	if c.Over != "" {
		what = "2 items claim the place of another; which one stands is open:"
	}
	if c.Claimed {
		what = "A model says that the first of 2 items takes the place of the second; both stand until you say so:"
	}
	fmt.Fprintf(p.w, "\n%s%s%s\n", p.st.yellow, what, p.st.reset)
	for _, u := range []unseen{c.Newer, c.Older} {
		p.unseen(u)
	}
}

func placeIn(s *shelf, e library.Entry) index.Place {
	return index.Place{Session: string(e.ID), SessionTitle: e.Title, SessionN: s.number[e.ID], SessionStart: e.Start, Project: s.of(e).Name, Source: string(e.Source)}
}
