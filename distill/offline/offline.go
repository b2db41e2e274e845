// Package offline distills a session without a model. What a transcript has on
// record (questions answered, plans approved, calls refused, tasks left open,
// files written) is taken by code, and claimed where its class is measured to be
// right; what was said is judged by a small learned model (weights.json) and kept
// as leads: passages quoted as they stand, with who said them and where. Nothing
// is worded anew. No network, the same result every time.
package offline

import (
	"cmp"
	"context"
	"slices"

	"recall/distill"
	"recall/ingest"
	"recall/payload"
)

// Name is what payloads made here say they were made by.
const Name = "offline/3"

// A Distiller distills by records and a learned model.
type Distiller struct {
	Model *Model // nil: the one that is shipped
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

// A Heard session is one made ready to be distilled, by several Models if need be.
type Heard struct {
	Candidates []*Candidate   // sentences that may be worth keeping
	Recorded   []payload.Item // what is on record, each under the rule that names its class

	talk    *talk
	touched []*touched
}

// Listen makes a session ready.
func Listen(s *ingest.Session) *Heard {
	h := hear(s, true)
	h.touched = touchedFiles(s)
	hearOf(h.talk, h.touched)
	leftOpen(h.talk, h.touched)
	return h
}

// hear makes a stretch of a session ready, but for the files; last says that it is the last.
func hear(s *ingest.Session, last bool) *Heard {
	t := listen(s)
	if t.closing != nil {
		t.closing.last = last
	}
	return &Heard{Candidates: candidates(t), Recorded: records(s), talk: t}
}

// recorded are items of what is on record, claimed where their class is sure.
func (m *Model) recorded(items []payload.Item) []payload.Item {
	items = slices.Clone(items)
	for i := range items {
		it := &items[i]
		if it.Confidence = m.precision(it.Rule); it.Confidence < claimed {
			it.Kind, it.Hint = payload.Lead, it.Kind
		}
	}
	return items
}

// withPassages adds the passages of a session to its other items.
func (m *Model) withPassages(s *ingest.Session, items []payload.Item, passages []Passage) []payload.Item {
	for _, p := range passages {
		p.Item.Confidence = m.Sureness(p.Likely)
		items = append(items, p.Item)
	}
	items = withoutTold(s, items)
	order(items)
	return items
}

// order sorts items by kind, then by time and turn; what is to be done next
// keeps its order.
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
