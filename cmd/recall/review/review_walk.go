package review

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/ingest"
	"recall/internal/text"
	"recall/payload"
	"recall/pipeline"
	"recall/pipeline/review"
)

// Reviewer asks a person about one item after another. Each answer is durable at once; the pages are rendered again at
// the end.
type Reviewer struct {
	*app.App
	ctx     context.Context
	p       terminal.Page
	touched map[string]bool // sessions whose pages must be rendered again
	handed  bool            // an item of a handoff was answered
	said    map[string]int  // number of items by answer
}

func NewReviewer(ctx context.Context, a *app.App) *Reviewer {
	p := a.Page()
	p.Bare = true
	return &Reviewer{App: a, ctx: ctx, p: p, touched: map[string]bool{}, said: map[string]int{}}
}

// errQuit means that the person wants to stop.
var errQuit = errors.New("quit")

func (r *Reviewer) Walk(w *review.Waiting) error {
	items := slices.Concat(w.Received, w.Items)
	all := len(w.Conflicts) + len(items)
	fmt.Fprintf(r.Out, "%s to review, %s\n", answer.Count(len(items), "item"),
		answer.Count(len(w.Conflicts), "conflict"))
	tellOthers(r.App, w)
	for i, c := range w.Conflicts {
		fmt.Fprintf(r.Out, "\n%s%d of %d%s", r.p.St.Dim, i+1, all, r.p.St.Reset)
		if err := r.settle(c); err != nil {
			return r.quit(err, all-i)
		}
	}
	for i, u := range items {
		n := len(w.Conflicts) + i
		fmt.Fprintf(r.Out, "\n%s%d of %d%s\n", r.p.St.Dim, n+1, all, r.p.St.Reset)
		r.p.Form("unseen", u)
		if err := r.ask(u); err != nil {
			return r.quit(err, all-n)
		}
	}
	return nil
}

// quit turns errQuit into a normal end.
func (r *Reviewer) quit(err error, left int) error {
	if errors.Is(err, errQuit) {
		fmt.Fprintf(r.Out, "\n%d left for next time\n", left)
		return nil
	}
	return err
}

// ask asks about an item and records the answer.
func (r *Reviewer) ask(u review.Unseen) error {
	for {
		line, err := r.choose("[k]eep, [e]dit, [d]rop, [p]in, [s]kip, [q]uit? ")
		if err != nil {
			return err
		}
		switch line {
		case "k":
			return r.say(u, payload.OpKeep, "", "kept")
		case "p":
			return r.say(u, payload.OpPin, "", "pinned")
		case "d":
			return r.say(u, payload.OpDrop, "", "dropped")
		case "e":
			if err := r.reword(u); err == nil || !errors.Is(err, errAgain) {
				return err
			}
		case "s":
			return nil
		case "q":
			return errQuit
		default:
			fmt.Fprintln(r.Out, "k: it is right; e: rewrite it; d: drop it from all answers; p: right, and keep it "+
				"when space is tight; s: ask again next time; q: stop for now")
		}
	}
}

// errAgain means that nothing was done and the question is asked again.
var errAgain = errors.New("again")

// reword has the person rewrite an item's line.
func (r *Reviewer) reword(u review.Unseen) error {
	old := payload.LineOf(&u.Item)
	fmt.Fprintf(r.Out, "  now: %s\n", terminal.Visible(old))
	line, err := r.read("  new: ")
	if err != nil {
		return err
	}
	if line = strings.Join(strings.Fields(line), " "); line == "" || line == old {
		fmt.Fprintln(r.Out, "unchanged")
		return errAgain
	}
	err = r.say(u, payload.OpSet, line, "changed")
	if errors.Is(err, review.ErrLine) {
		fmt.Fprintln(r.Out, err)
		return errAgain
	}
	return err
}

// say records what the person said about an item.
func (r *Reviewer) say(u review.Unseen, word payload.Op, line, did string) error {
	switch {
	case u.Handoff != "":
		r.handed = true
	case word != payload.OpKeep:
		r.touched[u.Session] = true
	}
	err := review.Say(r.Lib, u, word, line, app.Author())
	if !errors.Is(err, review.ErrLine) {
		r.said[did]++
	}
	return err
}

// settle asks which of two items holds.
func (r *Reviewer) settle(c review.Conflict) error {
	printContradiction(&r.p, c)
	for {
		line, err := r.choose("which one stands? [1] the first, [2] the second, [b]oth, [s]kip, [q]uit? ")
		if err != nil {
			return err
		}
		link := payload.Link{Op: payload.OpLink, Relation: payload.Supersedes}
		from, to := c.Newer.ID, c.Older.ID
		switch line {
		case "1":
		case "2":
			from, to = to, from
		case "b":
			link = payload.Link{Op: payload.OpLink, Relation: payload.Refines}
		case "s":
			return nil
		case "q":
			return errQuit
		default:
			continue
		}
		r.said["settled"]++
		return linkItems(r.ctx, r.App, link, string(from), string(to))
	}
}

// Finish renders the pages of changed sessions and prints what was done.
func (r *Reviewer) Finish() error {
	ctx := context.WithoutCancel(r.ctx) // even after Ctrl-C
	for id := range r.touched {
		report, err := r.Sync(ctx, pipeline.Options{Only: ingest.SessionID(id)})
		if err != nil {
			return err
		}
		r.PrintProblems(report.Problems)
	}
	if r.handed {
		if err := r.IndexReceived(ctx); err != nil {
			return err
		}
	}
	s := r.said
	parts := text.Counts("settled|kept|changed|dropped|pinned", s["settled"], s["kept"], s["changed"], s["dropped"],
		s["pinned"])
	if len(parts) > 0 {
		fmt.Fprintln(r.Out, strings.Join(parts, ", "))
	}
	return nil
}

// choose asks and waits for a line, of which the first letter counts.
func (r *Reviewer) choose(question string) (string, error) {
	line, err := r.read(question)
	return strings.ToLower((line + " ")[:1]), err
}

// read asks and waits for a line. Ctrl-C ends the wait; the end of the input is errQuit.
func (r *Reviewer) read(question string) (string, error) {
	fmt.Fprint(r.Out, question)
	text, err := terminal.ReadLine(r.ctx, r.In)
	switch {
	case r.ctx.Err() != nil:
		return "", r.ctx.Err()
	case err != nil && text == "":
		return "", errQuit
	}
	return text, nil
}
