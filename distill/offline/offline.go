// Package offline distills a session without a language model. Code extracts what a
// transcript has on record (questions answered, plans approved, calls refused, tasks left
// open, files written) and states it as fact if that class is measured to be right. What
// was said is judged by a small learned model (weights.json) and kept as leads: verbatim
// passages with speaker and turn. Nothing is reworded. It needs no network and is
// deterministic.
package offline

import (
	"cmp"
	"context"
	"slices"

	"recall/distill"
	"recall/ingest"
	"recall/payload"
)

// Name identifies this distiller in payloads.
const Name = "offline/3"

// A Distiller distills from records and with a learned model.
type Distiller struct {
	Model *Model // nil for the one shipped
}

var _ distill.Distiller = Distiller{}

// Name implements distill.Distiller.
func (Distiller) Name() string { return Name }

// Distill makes the payload of a session. It fails only if ctx is done.
func (d Distiller) Distill(ctx context.Context, s *ingest.Session) (*payload.Payload, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := &payload.Payload{Schema: payload.Schema, Session: string(s.ID), Source: string(s.Source), Title: s.Title,
		Branch: s.Where.Branch, Start: s.Start, End: s.End, Made: payload.Provenance{Distiller: Name}}
	p.Items, p.Read = Items(s, cmp.Or(d.Model, shipped()))
	distill.Hold(s, p)
	return p, nil
}

// A Heard session has been prepared for distilling, possibly by several Models.
type Heard struct {
	Candidates []*Candidate   // sentences that may be worth keeping
	Recorded   []payload.Item // what is on record, each with the rule that names its class

	talk    *talk
	touched []*touched
}

// Listen prepares a session.
func Listen(s *ingest.Session) *Heard {
	h := hear(s, true)
	h.touched = touchedFiles(s)
	findMentions(h.talk, h.touched)
	findUnfinished(h.talk, h.touched)
	return h
}

// hear prepares a stretch of a session, except for the files; last marks the last one.
func hear(s *ingest.Session, last bool) *Heard {
	t := listen(s)
	if t.closing != nil {
		t.closing.last = last
	}
	return &Heard{Candidates: candidates(t), Recorded: records(s), talk: t}
}

// recorded sets the confidence of recorded items and turns those of uncertain classes into
// leads. That a plan's points were approved isn't uncertain.
func (m *Model) recorded(items []payload.Item) []payload.Item {
	items = slices.Clone(items)
	for i := range items {
		it := &items[i]
		if it.Confidence = m.precision(it.Rule); it.Confidence < minClaimPrecision && it.Rule != payload.PointRule {
			it.Kind, it.Hint = payload.Lead, it.Kind
		}
	}
	return items
}

// withPassages adds a session's passages to its other items.
func (m *Model) withPassages(s *ingest.Session, items []payload.Item, passages []Passage) []payload.Item {
	for _, p := range passages {
		p.Item.Confidence = m.Sureness(p.Likely)
		items = append(items, p.Item)
	}
	items = withoutRetold(s, items)
	order(items)
	return items
}

// order sorts items by kind, then time and turn; next actions keep their order.
func order(items []payload.Item) {
	slices.SortStableFunc(items, func(a, b payload.Item) int {
		if kind := a.Kind.Order() - b.Kind.Order(); kind != 0 || a.Kind == payload.Next {
			return kind
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
