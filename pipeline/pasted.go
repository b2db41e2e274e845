package pipeline

import (
	"context"
	"strings"

	"recall/index"
	"recall/ingest"
)

// written is a line of a payload.md that was rendered in this run.
type written struct {
	session ingest.SessionID
	ids     []string
}

// remember notes the lines of a payload for sessions that come later: the
// index has them only when they are written.
func (r *run) remember(m *made) {
	for _, l := range writtenLines(m.page.payload) {
		r.lines[index.LineHash(l.Text)] = written{m.entry.ID, l.IDs}
	}
}

// pasted tells whether a line equals one that another session's payload.md was
// written with, and for which items. A fault of the index shows when something
// is put into it.
func (r *run) pasted(ctx context.Context, line string, self ingest.SessionID) ([]string, bool) {
	if line = strings.TrimSpace(line); len(line) < shortestLine {
		return nil, false
	}
	if strings.HasPrefix(line, "# Rehydration payload: ") || strings.HasPrefix(line, "Session ") && strings.Contains(line, " · distilled by ") {
		return nil, true
	}
	if w, ok := r.lines[index.LineHash(line)]; ok && w.session != self {
		return w.ids, true
	}
	ids, ok, _ := r.Index.Known(ctx, line, string(self))
	return ids, ok
}

// shortestLine is the length in bytes from which a line that equals one of a
// payload is no chance.
const shortestLine = 24
