package review

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/ingest"
	"recall/internal/hint"
	txt "recall/internal/text"
	"recall/library"
	"recall/library/disk"
	"recall/payload"
	"recall/pipeline"
	"recall/pipeline/guard"
	"recall/pipeline/review"
	"recall/prompts"
)

type wrapUpOptions struct {
	Draft, Scratch                string
	Print, NoReview, Prompt, JSON bool
}

// WrapUpDoc is the JSON document of recall wrap-up.
type WrapUpDoc struct {
	Session ingest.SessionID `json:"session"`
	Payload string           `json:"payload"` // payload.md
	review.Draft
	Waiting int    `json:"waiting"`           // items that nobody has reviewed
	Scratch string `json:"scratch,omitempty"` // the file written
}

func newWrapUpCmd(a *app.App) *cobra.Command {
	var o wrapUpOptions
	return option.Do("wrap-up", func(fs *option.Flags) {
		fs.StringVar(&o.Draft, "draft", "", "the agent's own draft, a Markdown file; \"-\" reads standard input")
		fs.BoolVar(&o.JSON, "json", false, "print as JSON, without asking or copying")
		fs.BoolVar(&o.NoReview, "no-review", false, "skip the review")
		fs.BoolVar(&o.Print, "print", false, "print the payload instead of copying it")
		fs.BoolVar(&o.Prompt, "prompt", false, "print what to ask the session's agent, and do nothing else")
		fs.StringVar(&o.Scratch, "scratch", "",
			"also write it to session-N.md in this folder, N being the session's number")
		fs.Apart("json", "print", "prompt")
	}, func(ctx context.Context, args []string) error {
		if o.Prompt {
			return a.Print(prompts.WrapUp.Text() + "\n")
		}
		return runWrapUp(ctx, a, args, o)
	})
}

// Limits of a draft, which is a page or two, in bytes, and of the unsupported lines that are printed.
const (
	mostDraft  = 256 << 10
	linesShown = 20
)

func runWrapUp(ctx context.Context, a *app.App, args []string, o wrapUpOptions) error {
	var draft []byte
	var err error
	switch o.Draft {
	case "":
	case "-":
		draft, err = io.ReadAll(io.LimitReader(a.In, review.MostHandoff))
	default:
		draft, err = disk.ReadRegular(o.Draft, mostDraft)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return hint.With(fmt.Errorf("--draft %s: no such file", o.Draft), "name the Markdown file that the agent wrote")
	case err != nil:
		return err
	case len(draft) > mostDraft || bytes.IndexByte(draft, 0) >= 0 || !utf8.Valid(draft):
		return hint.With(fmt.Errorf("--draft %s: not a payload in Markdown (text, at most %s)", o.Draft,
			txt.Size(mostDraft)), "recall wrap-up --prompt prints what to ask the agent")
	}
	l, err := a.LibraryToFill(ctx, nil)
	if err != nil {
		return err
	}
	if !guard.IsDemo(l.Dir()) && !(a.LibraryNamed() && l.IsBackup()) { // people's own sessions don't belong there
		report, err := a.Sync(ctx, pipeline.Options{})
		if err != nil {
			return err
		}
		a.PrintProblems(report.Problems)
	}
	e, err := toWrapUp(a, args)
	if err == nil && e.Behind() && l.ReadOnly() == nil { // large and deferred
		if _, err = a.Sync(ctx, pipeline.Options{Only: e.ID}); err == nil {
			e, err = l.Session(e.ID)
		}
	}
	if err != nil {
		return err
	}
	doc := WrapUpDoc{Session: e.ID}
	if len(draft) > 0 {
		if err := takeDraft(ctx, a, e, string(draft), &doc); err != nil {
			return err
		}
	}
	if _, err := a.Payload(e); err != nil {
		return err
	}
	w, err := review.ReadOne(ctx, l, a.IndexIfThere(), e)
	if err != nil {
		return err
	}
	if asks := terminal.IsTerminal(a.Out) && !o.NoReview && !o.JSON && o.Draft != "-"; asks && !w.Empty() {
		if err := runReview(ctx, a, []library.Entry{e}, true, reviewOptions{}); err != nil {
			return err
		}
		if w, err = review.ReadOne(ctx, l, a.IndexIfThere(), e); err != nil {
			return err
		}
	}
	doc.Waiting = len(w.Items)
	return wrapped(ctx, a, e, doc, o)
}

// wrapped reports what was saved and delivers the payload.
func wrapped(ctx context.Context, a *app.App, e library.Entry, doc WrapUpDoc, o wrapUpOptions) error {
	e, err := a.Lib.Session(e.ID) // reviewing might have moved its folder
	if err != nil {
		return err
	}
	md, err := a.Lib.Markdown(e.ID)
	if err != nil {
		return err
	}
	doc.Payload = string(md)
	next, err := pipeline.NextPayload(ctx, a.Lib, a.IndexIfThere(), e.Project, "", e.ID)
	if err != nil {
		return err
	}
	text := a.RenderPayload(next, "", 0)
	if o.Scratch != "" {
		catalog, err := a.Lib.Catalog()
		if err != nil {
			return err
		}
		name := filepath.Join(o.Scratch, fmt.Sprintf("session-%d", catalog.Number[string(e.ID)]))
		doc.Scratch = app.FreeName(name, ".md", text)
		if err := app.WriteNew(doc.Scratch, text, false); err != nil {
			return err
		}
	}
	if o.JSON {
		return a.PrintJSON(doc)
	}
	for _, d := range doc.Claims[:min(len(doc.Claims), linesShown)] {
		fmt.Fprintf(a.Err, "recall: line %d is the agent's own claim, %s: %s\n", d.Line,
			txt.Clip(terminal.Line(d.Text), 80), d.Why)
	}
	if more := len(doc.Claims) - linesShown; more > 0 {
		fmt.Fprintf(a.Err, "recall: %s more are the agent's own claims; --json lists all\n", answer.Count(more, "line"))
	}
	if o.Draft != "" {
		known := ""
		if doc.Known > 0 {
			known = fmt.Sprintf(", %d on the page already", doc.Known)
		}
		fmt.Fprintf(a.Err, "recall: %s of the draft supported, %d kept as claims%s\n", answer.Count(doc.Kept, "line"),
			len(doc.Claims), known)
	}
	fmt.Fprintf(a.Err, "recall: saved in %s\n", e.Folder)
	if doc.Scratch != "" {
		fmt.Fprintln(a.Err, "recall: wrote", doc.Scratch)
	}
	if doc.Waiting > 0 {
		fmt.Fprintf(a.Err, "recall: %s not reviewed yet: recall review %s\n", answer.Count(doc.Waiting, "item"),
			payload.ShortID(e.ID))
	}
	if o.Print {
		return a.Print(text)
	}
	return a.CopyOrPrint(text, "as the first message of the next session")
}

// toWrapUp finds the session, by name or the running one.
func toWrapUp(a *app.App, args []string) (library.Entry, error) {
	if len(args) > 0 {
		return a.Session(args[0])
	}
	e, err := a.Running()
	if errors.Is(err, library.ErrNoSession) {
		err = hint.With(errors.New("no session to wrap up"), "recall list shows them; name one")
	}
	return e, err
}

// takeDraft records the supported lines of a draft as notes and the others as claims, and merges them.
func takeDraft(ctx context.Context, a *app.App, e library.Entry, draft string, doc *WrapUpDoc) error {
	p := a.Pipeline()
	took, err := review.TakeDraft(ctx, p, e, draft)
	if err != nil {
		return err
	}
	if doc.Draft = *took; took.Kept+took.Known+len(took.Claims) == 0 {
		return hint.With(errors.New("--draft: nothing in it looks like a payload"),
			"recall wrap-up --prompt prints what the agent should write")
	}
	for _, id := range took.Sessions {
		report, err := a.Sync(ctx, pipeline.Options{Only: id})
		a.PrintProblems(report.Problems)
		if err != nil {
			return err
		}
	}
	return nil
}
