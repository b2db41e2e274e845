// Package review is what waits for a person's look, and what they say about it: items that nobody has seen as they are
// now, what contradicts, what other people handed over, an agent's own draft.
package review

import (
	"cmp"
	"errors"
	"slices"

	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/payload"
)

// Unseen is an item that waits for a person's look, and where it stands.
type Unseen struct {
	index.Place
	Title        string `json:"title"`
	Turn         int    `json:"turn,omitempty"`
	Changed      bool   `json:"changed"`        // they have seen it, as it was before
	From         string `json:"from,omitempty"` // who handed it over
	payload.Item `json:"item"`

	Handoff string `json:"-"` // of somebody else's, ""
	Nowhere bool   `json:"-"` // that handoff is for no project here
}

// of is the session that an item stands in.
func (u *Unseen) of() ingest.SessionID { return ingest.SessionID(u.Session) }

// Conflict is two items that can't both hold, the newer first.
type Conflict struct {
	Newer Unseen         `json:"newer"`
	Older Unseen         `json:"older"`
	Over  payload.ItemID `json:"over,omitempty"` // the item whose place both claim, "" if they contradict one another

	// a model says that the newer takes the older's place; both stand until somebody says so
	Claimed bool `json:"claimed,omitempty"`
}

// Waiting is what a review has to show.
type Waiting struct {
	Conflicts []Conflict `json:"conflicts"`
	Received  []Unseen   `json:"received"` // of other people's handoffs
	Items     []Unseen   `json:"items"`    // by session, as the sessions were given

	Broken []ingest.Problem `json:"-"` // sessions whose payload can't be read
}

// Empty reports whether nothing waits.
func (w *Waiting) Empty() bool { return len(w.Items)+len(w.Conflicts)+len(w.Received) == 0 }

// Read collects what nobody has looked at in some sessions, and the conflicts that
// one of them has part in.
func Read(l *library.Library, entries []library.Entry) (*Waiting, error) {
	shelf, err := l.Shelf()
	if err != nil {
		return nil, err
	}
	w := &Waiting{}
	in := map[string]bool{}
	for _, e := range entries {
		in[string(e.ID)] = true
		p, err := l.Payload(e.ID)
		if errors.Is(err, library.ErrNoPayload) {
			continue
		}
		if err != nil {
			w.Broken = append(w.Broken, ingest.Problem{Path: e.Folder, Reason: err.Error()})
			continue
		}
		edits, err := l.Edits(e.ID)
		if err != nil && !errors.Is(err, library.ErrDamaged) {
			return nil, err
		}
		for _, u := range payload.Unreviewed(p, edits) {
			w.Items = append(w.Items, *unseen(shelf, e, u.Item, u.Changed))
		}
	}
	w.Conflicts, err = conflicts(l, shelf, in)
	return w, err
}

// unseen is an item of a session.
func unseen(s *library.Shelf, e library.Entry, it payload.Item, changed bool) *Unseen {
	at := index.Place{Session: string(e.ID), SessionTitle: e.Title, SessionN: s.Number[string(e.ID)],
		SessionStart: e.Start, Project: s.Of(e).Name, Source: string(e.Source)}
	return &Unseen{Place: at, Title: e.Title, Turn: it.First().N, Changed: changed, Item: it}
}

// Named is an item of a session, by both ids, also one that was dropped. The error is ErrNoItem where there is none.
func Named(l *library.Library, session string, id payload.ItemID) (Unseen, error) {
	shelf, err := l.Shelf()
	if err != nil {
		return Unseen{}, err
	}
	e, err := l.Session(ingest.SessionID(session))
	if err != nil {
		return Unseen{}, err
	}
	p, err := l.Payload(e.ID)
	if err != nil {
		return Unseen{}, err
	}
	for _, it := range slices.Concat(p.Items, p.Retired) {
		if it.ID == id {
			return *unseen(shelf, e, it, false), nil
		}
	}
	return Unseen{}, ErrNoItem
}

// ErrNoItem: nothing of that id stands there.
var ErrNoItem = errors.New("no such item: it was changed or taken away meanwhile")

// Received lists what waits of other people's handoffs for a project, "" for any.
func Received(l *library.Library, project string) ([]Unseen, error) {
	all, err := l.Received()
	if err != nil && !errors.Is(err, library.ErrDamaged) {
		return nil, err
	}
	var out []Unseen
	for _, h := range all {
		if project != "" && h.Project != project {
			continue
		}
		for _, it := range h.Waiting() {
			place := index.Place{Session: "handoff " + h.ID, SessionTitle: h.Title, Project: h.Handover.Project}
			out = append(out, Unseen{Place: place, Title: h.Title, Turn: it.First().N, From: h.From, Item: it,
				Handoff: h.ID, Nowhere: h.Project == ""})
		}
	}
	return out, nil
}

// conflicts lists what contradicts, claims one place, or is superseded by a
// model's word alone, with part in one of the sessions; the newest first. Of what
// is overtaken nothing is said.
func conflicts(l *library.Library, shelf *library.Shelf, in map[string]bool) ([]Conflict, error) {
	lines, err := l.Links()
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
	var out []Conflict
	add := func(fromSession string, from payload.ItemID, toSession string, to, over payload.ItemID, claimed bool) {
		if !in[fromSession] && !in[toSession] || hidden[from] || hidden[to] {
			return
		}
		newer, older := find(fromSession, from), find(toSession, to)
		if newer != nil && older != nil {
			out = append(out, Conflict{*newer, *older, over, claimed})
		}
	}
	for _, k := range links {
		claimed := k.Relation == payload.Supersedes && k.Maker == payload.ByModel && !k.Hides()
		if claimed || k.Relation == payload.Contradicts {
			add(k.FromSession, k.From, k.ToSession, k.To, "", claimed)
		}
	}
	for to, claims := range heirs {
		for i := 1; i < len(claims); i++ { // in order of time
			if tied[[2]payload.ItemID{claims[i].From, claims[i-1].From}] {
				continue // it is said how they bear on one another
			}
			add(claims[i].FromSession, claims[i].From, claims[i-1].FromSession, claims[i-1].From, to, false)
		}
	}
	slices.SortFunc(out, func(a, b Conflict) int {
		return cmp.Or(b.Newer.At.Compare(a.Newer.At), cmp.Compare(a.Newer.ID+a.Older.ID, b.Newer.ID+b.Older.ID))
	})
	return out, nil
}

// finder finds items that hold, each session's payload being read once.
func finder(l *library.Library, shelf *library.Shelf) func(session string, id payload.ItemID) *Unseen {
	bySession := map[string]map[payload.ItemID]*Unseen{}
	entries := map[string]library.Entry{}
	for _, e := range shelf.Entries {
		entries[string(e.ID)] = e
	}
	return func(session string, id payload.ItemID) *Unseen {
		items, ok := bySession[session]
		if !ok {
			items = map[payload.ItemID]*Unseen{}
			bySession[session] = items
			e, known := entries[session]
			if p, err := l.Payload(e.ID); known && err == nil {
				for _, it := range p.Items {
					if it.Current() {
						items[it.ID] = unseen(shelf, e, it, false)
					}
				}
			}
		}
		return items[id]
	}
}
