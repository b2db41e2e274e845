package review

import (
	"errors"
	"slices"

	"recall/cmd/recall/app"
	"recall/library"
	"recall/payload"
)

// conflict is two items that can't both hold, the newer first.
type conflict struct {
	Newer app.Unseen     `json:"newer"`
	Older app.Unseen     `json:"older"`
	Over  payload.ItemID `json:"over,omitempty"` // the item whose place both claim, "" if they contradict one another

	Claimed bool `json:"claimed,omitempty"` // a model says that the newer takes the older's place; both stand until somebody says so
}

// Waiting is what a review has to show: the JSON form of recall review.
type Waiting struct {
	Conflicts []conflict   `json:"conflicts"`
	Received  []app.Unseen `json:"received"` // of other people's handoffs
	Items     []app.Unseen `json:"items"`    // by session, as the sessions were given

	several bool // of more than one project
}

func (w *Waiting) empty() bool { return len(w.Items)+len(w.Conflicts)+len(w.Received) == 0 }

// ReadWaiting collects what nobody has looked at in these sessions, and the
// conflicts that one of them has part in.
func ReadWaiting(a *app.App, l *library.Library, entries []library.Entry) (*Waiting, error) {
	shelf, err := l.Shelf()
	if err != nil {
		return nil, err
	}
	w := &Waiting{}
	projects := map[string]bool{}
	in := map[string]bool{}
	for _, e := range entries {
		in[string(e.ID)] = true
		p, err := l.Payload(e.ID)
		if errors.Is(err, library.ErrNoPayload) {
			continue
		}
		if err != nil {
			return nil, err
		}
		edits, err := l.Edits(e.ID)
		if err != nil && !errors.Is(err, library.ErrDamaged) {
			return nil, err
		}
		for _, u := range payload.Unreviewed(p, edits) {
			w.Items = append(w.Items, *waitingIn(shelf, e, u.Item, u.Changed))
			projects[shelf.Of(e).ID] = true
		}
	}
	w.Conflicts, err = conflicts(l, shelf, in)
	for _, c := range w.Conflicts {
		projects[shelf.Of(c.Newer.Entry).ID] = true
	}
	w.several = len(projects) > 1
	return w, err
}

// waitingIn is an item of a session.
func waitingIn(s *library.Shelf, e library.Entry, it payload.Item, changed bool) *app.Unseen {
	return &app.Unseen{Place: placeIn(s, e), Title: e.Title, Turn: it.FirstTurn(), Changed: changed, Item: it,
		Entry: e}
}

// conflicts lists what contradicts, claims one place, or is superseded by a
// model's word alone, with part in one of the sessions; the newest first. Of what
// is overtaken nothing is said.
func conflicts(l *library.Library, shelf *library.Shelf, in map[string]bool) ([]conflict, error) {
	lines, _, err := l.Links()
	if err != nil && !errors.Is(err, library.ErrDamaged) {
		return nil, err
	}
	links := payload.StandingLinks(lines)
	find := finder(l, shelf)
	hidden := map[payload.ItemID]bool{}
	heirs := map[payload.ItemID][]payload.Link{}
	tied := map[[2]payload.ItemID]bool{}
	for _, k := range links {
		tied[[2]payload.ItemID{k.From, k.To}], tied[[2]payload.ItemID{k.To, k.From}] = true, true
		if k.Hides() && find(k.FromSession, k.From) != nil {
			hidden[k.To] = true
			if k.Relation == payload.Supersedes {
				heirs[k.To] = append(heirs[k.To], k)
			}
		}
	}
	var out []conflict
	claimed := false
	add := func(fromSession string, from payload.ItemID, toSession string, to, over payload.ItemID) {
		if !in[fromSession] && !in[toSession] || hidden[from] || hidden[to] {
			return
		}
		newer, older := find(fromSession, from), find(toSession, to)
		if newer != nil && older != nil {
			out = append(out, conflict{*newer, *older, over, claimed})
		}
	}
	for _, k := range links {
		if k.Relation == payload.Contradicts {
			add(k.FromSession, k.From, k.ToSession, k.To, "")
		}
	}
	claimed = true
	for _, k := range links {
		if k.Relation == payload.Supersedes && k.Maker == payload.ByModel && !k.Hides() {
			add(k.FromSession, k.From, k.ToSession, k.To, "")
		}
	}
	claimed = false
	for to, claims := range heirs {
		for i := 1; i < len(claims); i++ { // in order of time
			if tied[[2]payload.ItemID{claims[i].From, claims[i-1].From}] {
				continue // it is said how they bear on one another
			}
			add(claims[i].FromSession, claims[i].From, claims[i-1].FromSession, claims[i-1].From, to)
		}
	}
	slices.SortFunc(out, func(a, b conflict) int {
		if c := b.Newer.At.Compare(a.Newer.At); c != 0 {
			return c
		}
		return slices.Compare([]byte(a.Newer.ID+a.Older.ID), []byte(b.Newer.ID+b.Older.ID))
	})
	return out, nil
}

// finder finds items that hold, each session's payload being read once.
func finder(l *library.Library, shelf *library.Shelf) func(session string, id payload.ItemID) *app.Unseen {
	bySession := map[string]map[payload.ItemID]*app.Unseen{}
	entries := map[string]library.Entry{}
	for _, e := range shelf.Entries {
		entries[string(e.ID)] = e
	}
	return func(session string, id payload.ItemID) *app.Unseen {
		items, ok := bySession[session]
		if !ok {
			items = map[payload.ItemID]*app.Unseen{}
			bySession[session] = items
			e, known := entries[session]
			if p, err := l.Payload(e.ID); known && err == nil {
				for _, it := range p.Items {
					if it.Current() {
						items[it.ID] = waitingIn(shelf, e, it, false)
					}
				}
			}
		}
		return items[id]
	}
}
