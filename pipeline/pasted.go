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
	known map[int64]bool    // hashes indexed before this run; nil: query them one by one
}

// MarkPasted marks what a session contains that was pasted from payloads of others.
func (p *Pipeline) MarkPasted(ctx context.Context, s *ingest.Session, family []string) {
	s.MarkPasted((&writtenLines{index: p.Index}).pasted(ctx, family))
}

// pasted returns a function that reports whether a line was pasted, without its marker, from another session's
// payload, and for which items. Forks contain the same words because they copied them, so a family's own lines don't
// count.
//
// Somebody may well type the same sentence twice, so a line must be part of a list, as all but a single goal are, or
// follow a payload's title.
func (w *writtenLines) pasted(ctx context.Context, family []string) func(line string) ([]string, bool) {
	page := 0 // how many more lines may belong to a pasted page
	return func(line string) ([]string, bool) {
		line = strings.TrimSpace(line)
		page--
		if line == ingest.PayloadHeading || strings.HasPrefix(line, ingest.PayloadHeading+": ") {
			page = pageLines
			return nil, true
		}
		// The session line and the note of how many items were cut are around a page's items.
		frame := strings.HasPrefix(line, "Session ") && strings.Contains(line, " · distilled by ") || payload.IsCutNote(line)
		if page > 0 && (frame || payload.IsHeading(line) || line == ingest.Confirmation) {
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
		// An index error shows when something is written to it.
		ids, ok, _ := w.index.Known(ctx, line, family...)
		return ids, ok
	}
}

const (
	// shortestLine is the length in bytes from which equality with a payload's line is no coincidence.
	shortestLine = 24
	// pageLines is the maximum length of a payload.md.
	pageLines = 200
)
