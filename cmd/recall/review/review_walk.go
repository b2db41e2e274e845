package review

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/ingest"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
	"recall/review"
)

// Reviewer asks a person about one item after the other. What they say is
// durable at once; the pages are written again at the end.
type Reviewer struct {
	*app.App
	Ctx     context.Context
	L       *library.Library
	P       terminal.Page
	Lines   *lines
	Touched map[string]bool // sessions whose pages are to be written again
	handed  bool            // of what was handed over something was said
	said    struct{ kept, changed, dropped, pinned, settled int }
}

// errQuit: the person has enough.
var errQuit = errors.New("quit")

func (r *Reviewer) Walk(w *review.Waiting) error {
	items := slices.Concat(w.Received, w.Items)
	all := len(w.Conflicts) + len(items)
	fmt.Fprintf(r.Out, "%s to look at, %s\n", answer.Count(len(items), "item"),
		answer.Count(len(w.Conflicts), "conflict"))
	for i, c := range w.Conflicts {
		fmt.Fprintf(r.Out, "\n%s%d of %d%s", r.P.St.Dim, i+1, all, r.P.St.Reset)
		if err := r.settle(c); err != nil {
			return r.quit(err, all-i)
		}
	}
	for i, u := range items {
		n := len(w.Conflicts) + i
		fmt.Fprintf(r.Out, "\n%s%d of %d%s\n", r.P.St.Dim, n+1, all, r.P.St.Reset)
		printUnseen(&r.P, u)
		if err := r.ask(u); err != nil {
			return r.quit(err, all-n)
		}
	}
	return nil
}

// quit makes leaving no error.
func (r *Reviewer) quit(err error, left int) error {
	if errors.Is(err, errQuit) {
		fmt.Fprintf(r.Out, "\n%d left for the next time\n", left)
		return nil
	}
	return err
}

// ask does to an item what the person says.
func (r *Reviewer) ask(u review.Unseen) error {
	for {
		line, err := r.Lines.read(r.Out, "[k]eep, [e]dit, [d]rop, [p]in, [s]kip, [q]uit? ")
		if err != nil {
			return err
		}
		switch strings.ToLower(line) {
		case "k", "keep":
			r.said.kept++
			return r.say(u, payload.OpKeep, "")
		case "p", "pin":
			r.said.pinned++
			return r.say(u, payload.OpPin, "")
		case "d", "drop":
			r.said.dropped++
			return r.say(u, payload.OpDrop, "")
		case "e", "edit":
			if err := r.reword(u); err == nil || !errors.Is(err, errAgain) {
				return err
			}
		case "s", "skip":
			return nil
		case "q", "quit":
			return errQuit
		default:
			fmt.Fprintln(r.Out, "k: it is right; e: write it anew; d: drop it for good; p: right, and keep it when space "+
				"is tight; s: ask again next time; q: enough for now")
		}
	}
}

// errAgain: nothing was done; the question stays.
var errAgain = errors.New("again")

// reword has the person write an item's line anew: in their editor, else here.
func (r *Reviewer) reword(u review.Unseen) error {
	old := payload.LineOf(&u.Item)
	line, err := r.rewritten(old)
	if err != nil {
		fmt.Fprintln(r.Out, err)
		return errAgain
	}
	if line == "" || line == old {
		fmt.Fprintln(r.Out, "left as it is")
		return errAgain
	}
	err = r.say(u, payload.OpSet, line)
	if errors.Is(err, review.ErrLine) {
		fmt.Fprintln(r.Out, err)
		return errAgain
	}
	r.said.changed++
	return err
}

func (r *Reviewer) rewritten(old string) (string, error) {
	if os.Getenv("VISUAL")+os.Getenv("EDITOR") == "" {
		fmt.Fprintf(r.Out, "  now: %s\n", terminal.Visible(old))
		return r.Lines.read(r.Out, "  new: ")
	}
	f, err := os.CreateTemp("", "recall-*.md")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(old + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	if err := runEditor(r.Ctx, r.App, f.Name()); err != nil {
		return "", err
	}
	text, err := os.ReadFile(f.Name())
	return strings.Join(strings.Fields(string(text)), " "), err
}

// say keeps what the person said about an item.
func (r *Reviewer) say(u review.Unseen, word payload.Op, line string) error {
	switch {
	case u.Handoff != "":
		r.handed = true
	case word != payload.OpKeep:
		r.Touched[u.Session] = true
	}
	return review.Say(r.L, u, word, line, app.Author())
}

// settle has the person say which of two items holds.
func (r *Reviewer) settle(c review.Conflict) error {
	printContradiction(&r.P, c)
	for {
		line, err := r.Lines.read(r.Out, "which one stands? [1] the first, [2] the second, [b]oth, [s]kip, [q]uit? ")
		if err != nil {
			return err
		}
		link := payload.Link{Op: payload.OpLink, Relation: payload.Supersedes}
		from, to := c.Newer.ID, c.Older.ID
		switch strings.ToLower(line) {
		case "1":
		case "2":
			from, to = to, from
		case "b", "both":
			link = payload.Link{Op: payload.OpLink, Relation: payload.Refines}
		case "s", "skip":
			return nil
		case "q", "quit":
			return errQuit
		default:
			continue
		}
		r.said.settled++
		return runRelate(r.Ctx, r.App, r.L, link, string(from), string(to))
	}
}

// Finish writes the pages of what was changed, and says what was done.
func (r *Reviewer) Finish() error {
	ctx := context.WithoutCancel(r.Ctx) // must be done though the person pressed Ctrl-C
	for id := range r.Touched {
		report, err := r.TakeIn(ctx, r.L, pipeline.Options{Only: ingest.SessionID(id)})
		if err != nil {
			return err
		}
		r.PrintProblems(report.Problems)
	}
	if r.handed {
		if err := r.IndexReceived(ctx, r.L); err != nil {
			return err
		}
	}
	parts := app.Counts(app.Counted{N: r.said.settled, What: "settled"}, app.Counted{N: r.said.kept, What: "kept"},
		app.Counted{N: r.said.changed, What: "changed"}, app.Counted{N: r.said.dropped, What: "dropped"},
		app.Counted{N: r.said.pinned, What: "pinned"})
	if len(parts) > 0 {
		fmt.Fprintln(r.Out, strings.Join(parts, ", "))
	}
	return nil
}

// lines reads a person's answers. Ctrl-C ends a wait for one.
type lines struct {
	ctx context.Context
	in  *bufio.Reader
}

func NewLines(ctx context.Context, in io.Reader) *lines { return &lines{ctx, bufio.NewReader(in)} }

// read asks and waits for a line. The end of the input is errQuit.
func (l *lines) read(w io.Writer, question string) (string, error) {
	fmt.Fprint(w, question)
	type answer struct {
		text string
		err  error
	}
	got := make(chan answer, 1)
	go func() { // ends with the process where nobody answers any more
		text, err := l.in.ReadString('\n')
		got <- answer{strings.TrimSpace(text), err}
	}()
	select {
	case <-l.ctx.Done():
		return "", l.ctx.Err()
	case a := <-got:
		if a.err != nil && a.text == "" {
			return "", errQuit
		}
		return a.text, nil
	}
}
