package pipeline

import (
	"context"
	"slices"
	"strings"

	"recall/index"
	"recall/ingest"
	"recall/payload"
)

// written is a line of a payload.md that was rendered in this run.
type written struct {
	session string
	ids     []string
}

// remember notes the lines of a payload for sessions that come later: the
// index has them only when they are written.
func (r *run) remember(m *made) {
	for _, l := range m.writtenLines() {
		r.lines[index.LineHash(l.Text)] = written{string(m.entry.ID), l.IDs}
	}
}

// pasted returns what tells a session's lines that were pasted from another
// session's payload without its marker, and for which items. Forks say the
// same words because they copied them: a family's own lines don't count.
//
// Somebody may well type the same sentence twice. So a line must be one of a
// list, as all but a single goal are, or follow a payload's title.
func (r *run) pasted(ctx context.Context, family []string) func(line string) ([]string, bool) {
	page := 0 // lines that may still belong to a pasted page
	return func(line string) ([]string, bool) {
		line = strings.TrimSpace(line)
		page--
		if strings.HasPrefix(line, ingest.PayloadHeading+": ") {
			page = pageLines
			return nil, true
		}
		if page > 0 && (frame(line) || payload.IsHeading(line) || line == ingest.Confirmation) {
			return nil, true
		}
		if len(line) < shortestLine || page <= 0 && !index.Listed(line) {
			return nil, false
		}
		hash := index.LineHash(line)
		if w, ok := r.lines[hash]; ok && !slices.Contains(family, w.session) {
			return w.ids, true
		}
		if r.known != nil && !r.known[hash] {
			return nil, false
		}
		// A fault of the index shows when something is put into it.
		ids, ok, _ := r.Index.Known(ctx, line, family...)
		return ids, ok
	}
}

// frame tells the lines around a page's items: what session it is of, and how
// many were cut.
func frame(line string) bool {
	return strings.HasPrefix(line, "Session ") && strings.Contains(line, " · distilled by ") ||
		strings.HasPrefix(line, "… and ") && strings.HasSuffix(line, " more in payload.json")
}

const (
	// shortestLine is the length in bytes from which a line that equals one of
	// a payload is no chance.
	shortestLine = 24
	// pageLines is how long a payload.md may be.
	pageLines = 200
)
