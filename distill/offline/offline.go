// Package offline distills a session without a language model. Code extracts what a transcript has on record
// (questions answered, plans approved, calls refused, tasks left open, commits made, files written) and states it as
// fact where that class is measured to be right. The rest is quoted, with speaker and turn: where the session ended,
// and what was typed. Nothing is reworded. It needs no network and is deterministic.
package offline

import (
	"cmp"
	"context"
	"slices"

	"recall/distill"
	"recall/ingest"
	"recall/ingest/trace"
	"recall/payload"
)

// Name identifies this distiller in payloads. One with another name is made anew: it changes with the rules.
const Name = "offline/25"

// A Distiller distills from records and by quoting.
type Distiller struct{}

var _ distill.Distiller = Distiller{}

// Name implements distill.Distiller.
func (Distiller) Name() string { return Name }

// Distill makes the payload of a session. It fails only if ctx is done.
func (Distiller) Distill(ctx context.Context, s *ingest.Session) (*payload.Payload, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := newPayload(s)
	p.Items, p.Read = items(s)
	distill.Hold(s, p)
	return p, nil
}

// newPayload returns the session's payload without items.
func newPayload(s *ingest.Session) *payload.Payload {
	return &payload.Payload{Schema: payload.Schema, Session: string(s.ID), Source: string(s.Source), Title: s.Title,
		Branch: s.Where.Branch, Start: s.Start, End: s.End, Made: payload.Provenance{Distiller: Name}}
}

// items returns the goal, what is on record, files and leads, and the names of files that were only read.
func items(s *ingest.Session) (items []payload.Item, read []string) {
	t, did := listen(s), trace.OfSession(s)
	t.actOn(did)
	t.files = findMentions(t, touchedFiles(s, did))
	findStates(t, t.files)
	done := folderWork(s, did.Actions)
	if len(done) > 0 {
		done = append(done, folderWords(t)...)
	}
	goals := goal(t)
	items = slices.Concat(goals, files(t, t.files), records(s), opened(s, did), done, next(t, goals))
	items = withoutRetold(s, slices.Concat(items, leads(t, items)))
	t.nameRemoved(items, t.files)
	t.workOn(items)
	order(items)
	return items, onlyRead(t.files, items)
}

// order sorts items by kind, then time and turn; next actions, files and the states of tasks keep their order.
func order(items []payload.Item) {
	place := func(it *payload.Item) int {
		if it.Rule == payload.TaskStatesRule {
			return -1
		}
		return it.Kind.Order()
	}
	slices.SortStableFunc(items, func(a, b payload.Item) int {
		if at := place(&a) - place(&b); at != 0 || a.Kind == payload.Next || a.Kind == payload.File || place(&a) < 0 {
			return at
		}
		return cmp.Or(a.At.Compare(b.At), first(&a)-first(&b))
	})
}

func first(it *payload.Item) int {
	n := 0
	for _, e := range it.Evidence {
		if n == 0 || e.N < n {
			n = e.N
		}
	}
	return n
}
