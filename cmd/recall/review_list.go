package main

import (
	"errors"
	"slices"

	"recall/index"
	"recall/library"
	"recall/payload"
)

// unseen is an item that waits for a person's look.
type unseen struct {
	payload.Item
	changed bool // they have seen it, as it was before
	entry   library.Entry
	place   index.Place
	turn    int

	handoff, from string // of somebody else's handoff, ""
	nowhere       bool   // that handoff is for no project here
}

// conflict is two items that can't both hold.
type conflict struct {
	newer, older unseen
	over         payload.ItemID // the item whose place both claim, "" if they contradict one another
	claimed      bool           // they may both hold: a model says that the newer takes the older's place, which hides nothing
}

// waiting is what a review has to show.
type waiting struct {
	conflicts []conflict
	received  []unseen // of other people's handoffs
	items     []unseen // by session, as the sessions were given
	several   bool     // of more than one project
}

func (w *waiting) empty() bool { return len(w.items)+len(w.conflicts)+len(w.received) == 0 }

// waiting collects what nobody has looked at in these sessions, and the
// conflicts that one of them has part in.
func (a *app) waiting(l *library.Library, entries []library.Entry) (*waiting, error) {
	shelf, err := newShelf(l)
	if err != nil {
		return nil, err
	}
	w := &waiting{}
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
			w.items = append(w.items, unseen{Item: u.Item, changed: u.Changed, entry: e, place: placeIn(shelf, e), turn: firstTurn(u.Item)})
			projects[shelf.of(e).ID] = true
		}
	}
	w.conflicts, err = conflicts(l, shelf, in)
	for _, c := range w.conflicts {
		projects[shelf.of(c.newer.entry).ID] = true
	}
	w.several = len(projects) > 1
	return w, err
}

func firstTurn(it payload.Item) int {
	if len(it.Evidence) > 0 {
		return it.Evidence[0].N
	}
	return 0
}

// conflicts lists what contradicts, claims one place, or is superseded by a
// model's word alone, with part in one of the sessions; the newest first. Of what
// is overtaken nothing is said.
func conflicts(l *library.Library, shelf *shelf, in map[string]bool) ([]conflict, error) {
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
		if c := b.newer.At.Compare(a.newer.At); c != 0 {
			return c
		}
		return slices.Compare([]byte(a.newer.ID+a.older.ID), []byte(b.newer.ID+b.older.ID))
	})
	return out, nil
}

// finder finds items that hold, each session's payload being read once.
func finder(l *library.Library, shelf *shelf) func(session string, id payload.ItemID) *unseen {
	bySession := map[string]map[payload.ItemID]*unseen{}
	entries := map[string]library.Entry{}
	for _, e := range shelf.entries {
		entries[string(e.ID)] = e
	}
	return func(session string, id payload.ItemID) *unseen {
		items, ok := bySession[session]
		if !ok {
			items = map[payload.ItemID]*unseen{}
			bySession[session] = items
			e, known := entries[session]
			if p, err := l.Payload(e.ID); known && err == nil {
				for _, it := range p.Items {
					if it.Current() {
						items[it.ID] = &unseen{Item: it, entry: e, place: placeIn(shelf, e), turn: firstTurn(it)}
					}
				}
			}
		}
		return items[id]
	}
}

func (w *waiting) doc() reviewDoc {
	doc := reviewDoc{[]conflictDoc{}, []unseenDoc{}, []unseenDoc{}}
	for _, c := range w.conflicts {
		doc.Conflicts = append(doc.Conflicts, conflictDoc{c.newer.doc(), c.older.doc(), string(c.over), c.claimed})
	}
	for _, u := range w.received {
		doc.Received = append(doc.Received, u.doc())
	}
	for _, u := range w.items {
		doc.Items = append(doc.Items, u.doc())
	}
	return doc
}

func (u unseen) doc() unseenDoc {
	return unseenDoc{u.place.Project, u.place.Session, u.place.SessionN, u.place.SessionTitle, u.turn, u.changed, u.from, u.Item}
}
