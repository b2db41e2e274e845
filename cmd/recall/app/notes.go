package app

import (
	"context"
	"fmt"

	"recall/cmd/recall/terminal"
	"recall/library"
	"recall/payload"
	"recall/pipeline/notes"
	txt "recall/text"
)

// PrintNotes tells what an agent noted in a session and the transcript doesn't
// bear out: it is no item, and isn't lost either.
func (a *App) PrintNotes(ctx context.Context, l *library.Library, e library.Entry) error {
	lines, err := l.Notes(e.ID)
	if err != nil {
		return err
	}
	noted := payload.DecodeNotes(lines)
	if len(noted) == 0 {
		return nil
	}
	s, err := a.Read(ctx, l, e)
	if err != nil {
		return err
	}
	for _, n := range notes.GroundNotes(s, noted) {
		if n.Item == nil {
			fmt.Fprintf(a.Err, "recall: the agent noted, ungrounded (%s): %s: %s\n", n.Why, n.Note.Kind,
				txt.Clip(terminal.Line(n.Note.Text), 200))
		}
	}
	return nil
}
