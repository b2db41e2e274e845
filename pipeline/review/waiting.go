// Package review collects what is waiting for a person's review and records their answers: items that nobody has seen
// in their present form, contradictions, other people's handoffs, an agent's own draft.
package review

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/library/received"
	"recall/payload"
	"recall/pipeline"
)

// Unseen is an item waiting for review, and where it stands.
type Unseen struct {
	index.Place
	Title        string `json:"title"`
	Turn         int    `json:"turn,omitempty"`
	Changed      bool   `json:"changed"`        // reviewed before, in an earlier form
	From         string `json:"from,omitempty"` // who handed it over
	payload.Item `json:"item"`
	Doubt        payload.Doubt `json:"doubt,omitzero"` // what superseded it, might have, or contradicts it

	Handoff string `json:"-"` // the id of the handoff it came with, ""
	Nowhere bool   `json:"-"` // the handoff is for no project here
}

// of returns the session that an item stands in.
func (u *Unseen) of() ingest.SessionID { return ingest.SessionID(u.Session) }

// Conflict is two items that can't both hold, the newer first.
type Conflict struct {
	Newer Unseen         `json:"newer"`
	Older Unseen         `json:"older"`
	Over  payload.ItemID `json:"over,omitempty"` // the item that both supersede; "" if they contradict one another

	// only a model says that the newer supersedes the older: both stand until a person decides
	Claimed bool `json:"claimed,omitempty"`
}

// Waiting is what a review shows.
type Waiting struct {
	Conflicts []Conflict `json:"conflicts"`
	Received  []Unseen   `json:"received"` // from other people's handoffs
	Items     []Unseen   `json:"items"`    // in the order of the given sessions
	Others    int        `json:"others"`   // items left out by OnlyClaims

	Broken []ingest.Problem `json:"-"` // sessions whose payload can't be read
}

// Len is how much is waiting, and Empty whether nothing is.
func (w *Waiting) Len() int    { return len(w.Items) + len(w.Conflicts) + len(w.Received) }
func (w *Waiting) Empty() bool { return w.Len() == 0 }

// OnlyClaims leaves out items that claim nothing a person could be held to, such as files, leads and what is next: a
// library has hundreds of them, and nobody would come to the end.
func (w *Waiting) OnlyClaims() {
	all := len(w.Items)
	w.Items = slices.DeleteFunc(w.Items, func(u Unseen) bool {
		return u.Kind != payload.Decision && u.Kind != payload.Eliminated && !u.Changed
	})
	w.Others += all - len(w.Items)
}

// Read collects the unreviewed items of some sessions, and the conflicts that their items are part of. The index may
// be nil.
func Read(ctx context.Context, l *library.Library, x *index.Index, catalog *library.Catalog, entries []library.Entry) (
	*Waiting, error) {
	w := &Waiting{}
	own := map[payload.ItemID]bool{}
	for _, e := range entries {
		p, err := l.Payload(e.ID)
		if errors.Is(err, library.ErrNoPayload) {
			continue
		}
		if err != nil {
			w.Broken = append(w.Broken, ingest.Problem{Path: e.Folder, Err: err})
			continue
		}
		for _, it := range p.Items {
			own[it.ID] = true
		}
		edits, err := l.Edits(e.ID)
		if err != nil && !errors.Is(err, library.ErrDamaged) {
			return nil, err
		}
		for _, u := range payload.Unreviewed(p, edits) {
			w.Items = append(w.Items, *unseen(catalog, e, u.Item, u.Changed))
		}
	}
	var items []payload.Item
	for _, u := range w.Items {
		items = append(items, u.Item)
	}
	doubted, err := pipeline.Doubts(ctx, l, x, map[string]*payload.Payload{}, items)
	if err != nil {
		return nil, err
	}
	for i := range w.Items {
		w.Items[i].Doubt = doubted[w.Items[i].ID]
	}
	links, err := pipeline.LinksNow(ctx, l, x)
	if err == nil {
		w.Conflicts, err = conflicts(ctx, links, finder(l, catalog), own)
	}
	return w, err
}

// ReadOne is Read of one session.
func ReadOne(ctx context.Context, l *library.Library, x *index.Index, e library.Entry) (*Waiting, error) {
	catalog, err := l.Catalog()
	if err != nil {
		return nil, err
	}
	return Read(ctx, l, x, catalog, []library.Entry{e})
}

// unseen makes an Unseen of a session's item.
func unseen(s *library.Catalog, e library.Entry, it payload.Item, changed bool) *Unseen {
	at := index.Place{Session: string(e.ID), SessionTitle: e.Title, SessionN: s.Number[string(e.ID)],
		SessionStart: e.Start, Project: s.Of(e).Name, Source: string(e.Source)}
	return &Unseen{Place: at, Title: e.Title, Turn: it.First().N, Changed: changed, Item: it}
}

// Named returns an item by its session's id and its own, even one that was dropped. The error is ErrNoItem if there is
// none.
func Named(l *library.Library, session string, id payload.ItemID) (Unseen, error) {
	catalog, err := l.Catalog()
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
			return *unseen(catalog, e, it, false), nil
		}
	}
	return Unseen{}, ErrNoItem
}

// ErrNoItem means that the session has no item with that id.
var ErrNoItem = errors.New("no such item: it was changed or removed meanwhile")

// Received lists the unreviewed items of other people's handoffs for a project; "" for any.
func Received(l *library.Library, project string) ([]Unseen, error) {
	all, err := received.All(l)
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

// conflicts lists pairs that contradict each other, supersede the same item, or are linked only by a model's claim,
// and that some of the given items are part of; newest first. Superseded items are left out.
func conflicts(ctx context.Context, links pipeline.Links, find finding, own map[payload.ItemID]bool) (out []Conflict,
	fault error) {
	around, fault := links.LinksOf(ctx, slices.Collect(maps.Keys(own))...)
	tied := map[[2]payload.ItemID]bool{}
	for _, k := range around {
		tied[[2]payload.ItemID{k.From, k.To}], tied[[2]payload.ItemID{k.To, k.From}] = true, true
	}
	heirs := map[payload.ItemID][]payload.Link{} // what replaced an item, in order of time
	look := func(items []payload.ItemID) {
		later, err := links.LinksOf(ctx, items...)
		fault = cmp.Or(fault, err)
		clear(heirs)
		for _, id := range items {
			heirs[id] = nil
		}
		for _, k := range later {
			if _, asked := heirs[k.To]; asked && k.Hides() && find(k.FromSession, k.From) != nil {
				heirs[k.To] = append(heirs[k.To], k)
			}
		}
	}
	type pair struct {
		payload.Link // from the newer to the older
		over         payload.ItemID
	}
	var open []pair
	var ends []payload.ItemID
	contested := map[payload.ItemID]bool{}
	for _, k := range around {
		claimed := k.Relation == payload.Supersedes && k.Maker == payload.ByModel && !k.Hides()
		if claimed || k.Relation == payload.Contradicts {
			open, ends = append(open, pair{Link: k}), append(ends, k.From, k.To)
		}
		if own[k.From] && k.Relation == payload.Supersedes && k.Hides() {
			contested[k.To] = true
		}
	}
	look(slices.Collect(maps.Keys(contested)))
	for to := range contested {
		claims := slices.DeleteFunc(heirs[to], func(k payload.Link) bool { return k.Relation != payload.Supersedes })
		for i := 1; i < len(claims); i++ {
			later, earlier := claims[i], claims[i-1]
			if x, y := later.FromEvidence, earlier.FromEvidence; x != nil && y != nil && x.Turn == y.Turn &&
				later.FromSession == earlier.FromSession {
				continue
			}
			if (own[later.From] || own[earlier.From]) && // and no link says how they relate
				!tied[[2]payload.ItemID{later.From, earlier.From}] {
				later.To, later.ToSession = earlier.From, earlier.FromSession
				open, ends = append(open, pair{later, to}), append(ends, later.From, later.To)
			}
		}
	}
	look(ends)
	for _, k := range open {
		newer, older := find(k.FromSession, k.From), find(k.ToSession, k.To)
		if newer != nil && older != nil && len(heirs[k.From])+len(heirs[k.To]) == 0 {
			out = append(out, Conflict{*newer, *older, k.over, k.over == "" && k.Relation == payload.Supersedes})
		}
	}
	slices.SortFunc(out, func(a, b Conflict) int {
		return cmp.Or(b.Newer.At.Compare(a.Newer.At), cmp.Compare(a.Newer.ID+a.Older.ID, b.Newer.ID+b.Older.ID))
	})
	return out, fault
}

// finding returns a current item of a session; nil if there is none.
type finding func(session string, id payload.ItemID) *Unseen

// finder returns a finding that reads each session's payload once.
func finder(l *library.Library, catalog *library.Catalog) finding {
	bySession := map[string]map[payload.ItemID]*Unseen{}
	return func(session string, id payload.ItemID) *Unseen {
		items, ok := bySession[session]
		if !ok {
			items = map[payload.ItemID]*Unseen{}
			bySession[session] = items
			e, lost := l.Session(ingest.SessionID(session))
			if p, err := l.Payload(e.ID); lost == nil && err == nil {
				for _, it := range p.Items {
					if it.Current() {
						items[it.ID] = unseen(catalog, e, it, false)
					}
				}
			}
		}
		return items[id]
	}
}
