package app

import (
	"context"
	"fmt"
	"os"

	"recall/answer"
	"recall/cmd/recall/terminal"
	"recall/library"
	"recall/pipeline"
	"recall/review"
)

// ImportHandoff keeps another person's handoff.
func (a *App) ImportHandoff(ctx context.Context, path, name string) (*review.Handoff, error) {
	l, err := a.Library(ctx)
	if err != nil {
		return nil, err
	}
	project, err := ProjectID(l, name)
	if err != nil {
		return nil, err
	}
	return review.Import(l, path, project, a.Here(l))
}

// PrintHandoff says what of it is here.
func (a *App) PrintHandoff(h *review.Handoff) {
	if !h.New {
		fmt.Fprintf(a.Out, "this handoff of %s's is here already; %d of its %s wait for recall review\n", h.From, h.Waiting,
			answer.Count(h.Items, "item"))
		return
	}
	what := "for project " + terminal.Line(h.Project)
	if h.Project == "" {
		what = fmt.Sprintf("no project here goes by %q; recall import --project NAME says which one it is for",
			terminal.Line(h.For))
	}
	fmt.Fprintf(a.Out, "kept a handoff from %s with %s, %s\n", h.From, answer.Count(h.Items, "item"), what)
	fmt.Fprintln(a.Out, "nothing of it is handed to a session before you have looked: recall review")
}

// IndexReceived has what was taken over answer questions from now on. Where there
// is no index yet, the next one that is made has it.
func (a *App) IndexReceived(ctx context.Context, l *library.Library) error {
	if _, err := os.Stat(IndexPath(l)); err != nil {
		return nil
	}
	return a.OnIndex(ctx, l, func(p *pipeline.Pipeline) error { return p.IndexReceived(ctx) })
}
