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

// writtenLines are the lines of payloads, by index.LineHash.
type writtenLines struct {
	index *index.Index
	of    map[int64]written // rendered in this run
	known map[int64]bool    // those of the index before it; nil: to be asked one by one
}

// MarkPasted marks in a session what was pasted from payloads of others.
func (p *Pipeline) MarkPasted(ctx context.Context, s *ingest.Session, family []string) {
	s.MarkPasted((&writtenLines{index: p.Index}).pasted(ctx, family))
}

// pasted returns what tells a session's lines that were pasted from another
// session's payload without its marker, and for which items. Forks say the
// same words because they copied them: a family's own lines don't count.
//
// Somebody may well type the same sentence twice. So a line must be one of a
// list, as all but a single goal are, or follow a payload's title.
func (w *writtenLines) pasted(ctx context.Context, family []string) func(line string) ([]string, bool) {
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
		if of, ok := w.of[hash]; ok && !slices.Contains(family, of.session) {
			return of.ids, true
		}
		if w.known != nil && !w.known[hash] {
			return nil, false
		}
		// A fault of the index shows when something is put into it.
		ids, ok, _ := w.index.Known(ctx, line, family...)
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
