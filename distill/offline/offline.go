// Package offline distills a session by rules over what its transcript states
// outright: no model, no network, the same result every time. Sentences that
// people typed and that the assistant's reports hold are weighed by small
// logistic regressions (weights.json); answers, plans, refusals, tasks and
// edits are read from the tools' records.
package offline

import (
	"context"
	"sort"

	"recall/distill"
	"recall/ingest"
	"recall/payload"
)

// Name is what payloads made here say they were made by.
const Name = "offline/1"

// A Distiller distills by rules. The zero value uses the shipped Models.
type Distiller struct {
	Models Models // nil: the shipped ones
}

var _ distill.Distiller = Distiller{}

// Name implements distill.Distiller.
func (Distiller) Name() string { return Name }

// Distill makes the payload of a session. It fails only if ctx is done.
func (d Distiller) Distill(ctx context.Context, s *ingest.Session) (*payload.Payload, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	models := d.Models
	if models == nil {
		models = shipped
	}
	p := &payload.Payload{Schema: payload.Schema, Session: string(s.ID), Source: string(s.Source), Title: s.Title,
		Branch: s.Where.Branch, Start: s.Start, End: s.End, Made: payload.Provenance{Distiller: Name}}
	t := listen(s)
	for _, rule := range rules {
		p.Items = append(p.Items, rule(t, models)...)
	}
	p.Items = append(p.Items, choose(models, candidates(t))...)
	p.Carried = carried(s)
	distill.Ground(s, p)
	order(p.Items)
	return p, nil
}

// rules read items from records rather than from sentences.
var rules = []func(*talk, Models) []payload.Item{goal, answers, plans, refusals, openTasks, files}

// Candidates lists the statements of a session that may be worth keeping, for
// training.
func Candidates(s *ingest.Session) []*Candidate { return candidates(listen(s)) }

// carried lists the items of other sessions that were handed to this one.
func carried(s *ingest.Session) []payload.ItemID {
	var out []payload.ItemID
	seen := map[string]bool{}
	for i := range s.Turns {
		for _, id := range s.Turns[i].Carried {
			if !seen[id] {
				seen[id] = true
				out = append(out, payload.ItemID(id))
			}
		}
	}
	return out
}

// order sorts items by kind, then by time and turn.
func order(items []payload.Item) {
	rank := map[payload.Kind]int{}
	for i, k := range payload.Kinds {
		rank[k] = i
	}
	sort.SliceStable(items, func(i, j int) bool {
		a, b := &items[i], &items[j]
		if a.Kind != b.Kind {
			return rank[a.Kind] < rank[b.Kind]
		}
		if !a.At.Equal(b.At) {
			return a.At.Before(b.At)
		}
		return first(a) < first(b)
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
