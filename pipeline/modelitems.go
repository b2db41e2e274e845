package pipeline

import (
	"slices"

	"recall/distill"
	"recall/ingest"
	"recall/payload"
)

// keepModelItems keeps the items that a model made of a session when rules distill it again, because it grew or
// because the rules are newer than the payload. The rules add what stands in turns that the model hasn't seen.
func (r *run) keepModelItems(old, fresh *payload.Payload, m *Member) {
	m.made.Model, fresh.Made.Model = payload.Asked{}, payload.Asked{}
	if old == nil || old.Made.Model.Name == "" {
		return
	}
	asked := old.Made.Model
	place := places(m.Session)
	last := min(asked.Turns, len(m.Session.Turns)) - 1
	if at := place(asked.Last); at >= 0 {
		last = at
	}
	fresh.Items = withNotes(payload.ExtendModelItems(old, fresh, place, last), m.noted)
	fresh.Items = slices.DeleteFunc(fresh.Items, copied(m.Session))
	distill.Hold(m.Session, fresh) // a rewritten session may lack its evidence
	m.made.Model, fresh.Made.Model = asked, asked
}

// places returns a function that gives the index of a turn, by any id that evidence may use; -1 if there is no such
// turn.
func places(s *ingest.Session) func(turn string) int {
	at := s.Places()
	return func(turn string) int {
		if i, ok := at[turn]; ok {
			return i
		}
		return -1
	}
}

// copied reports whether an item is based on a turn that its session copied.
func copied(s *ingest.Session) func(payload.Item) bool {
	place := places(s)
	return func(it payload.Item) bool {
		return slices.ContainsFunc(it.Evidence, func(e payload.Evidence) bool {
			at := place(e.Turn)
			return at >= 0 && s.Turns[at].Copied
		})
	}
}

// redactedAgain redacts a payload's items again, including retired ones.
func redactedAgain(p *payload.Payload, clean func(string) string) *payload.Payload {
	q := *p
	q.Items, q.Retired = slices.Clone(p.Items), slices.Clone(p.Retired)
	for _, items := range [][]payload.Item{q.Items, q.Retired} {
		for i := range items {
			items[i].MapText(clean)
		}
	}
	return &q
}
