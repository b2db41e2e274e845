package review

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"recall/distill/relate"
	"recall/index"
	"recall/ingest"
	"recall/internal/hint"
	"recall/library"
	"recall/library/received"
	"recall/payload"
)

// ErrLine means that a line as a person wrote it can't be an item.
var ErrLine = errors.New("not a valid item line")

// Say records what a person says about an item; it is durable on return. The word keeps, pins or drops the item, takes
// that back (OpUnpin), or sets its line as in payload.md. An item of a handoff is thereby accepted or refused.
func Say(l *library.Library, u Unseen, word payload.Op, line, who string) error {
	now := time.Now().UTC().Truncate(time.Millisecond)
	edits := []payload.Edit{{Op: word, ID: u.ID, At: now, Who: who}}
	switch word {
	case payload.OpKeep:
		edits = keeps(who, u)
	case payload.OpPin:
		edits = append(edits, keeps(who, u)...)
	case payload.OpUnpin:
		edits = nil
		if !u.Current() { // only another edit undoes a drop
			edits = append(edits, payload.Edit{Op: payload.OpPin, ID: u.ID, At: now, Who: who})
		}
		if u.Current() || !u.Pinned {
			edits = append(edits, payload.Edit{Op: payload.OpUnpin, ID: u.ID, At: now, Who: who})
		}
		edits = append(edits, payload.Edit{Op: payload.OpKeep, ID: u.ID, At: now, Who: who})
	case payload.OpSet:
		p := &payload.Payload{Items: []payload.Item{u.Item}}
		if u.Handoff == "" {
			var err error
			if p, err = l.Payload(u.of()); err != nil {
				return err
			}
		}
		var err error
		if edits, err = payload.Reword(p, u.ID, line, payload.Edit{At: now, Who: who}); err != nil {
			return fmt.Errorf("%w: %w", ErrLine, err)
		}
	}
	if u.Handoff != "" {
		return received.Add(l, received.Line{Handoff: u.Handoff, At: now, Edits: edits})
	}
	return l.AppendEdits(u.of(), edits)
}

// Keep records that items were reviewed in their present form; those of handoffs are thereby accepted.
func Keep(l *library.Library, items []Unseen, who string) error {
	bySession, byHandoff := map[ingest.SessionID][]payload.Edit{}, map[string][]payload.Edit{}
	for _, u := range items {
		if u.Handoff != "" {
			byHandoff[u.Handoff] = append(byHandoff[u.Handoff], keeps(who, u)...)
			continue
		}
		bySession[u.of()] = append(bySession[u.of()], keeps(who, u)...)
	}
	for id, edits := range byHandoff {
		if err := received.Add(l, received.Line{Handoff: id, At: edits[0].At, Edits: edits}); err != nil {
			return err
		}
	}
	for session, edits := range bySession {
		if err := l.AppendEdits(session, edits); err != nil {
			return err
		}
	}
	return nil
}

func keeps(who string, u Unseen) []payload.Edit {
	return []payload.Edit{{Op: payload.OpKeep, ID: u.ID, At: time.Now().UTC().Truncate(time.Millisecond), Who: who,
		Seen: payload.Fingerprint(&u.Item)}}
}

// Relate records a person's word on how one item relates to another, that it doesn't (OpRetract), or withdraws what
// they last said about the two (OpUnsay). names are what the person called them, the later first.
func Relate(l *library.Library, link payload.Link, ends [2]index.Placed, names [2]string, who string) error {
	for i, end := range ends {
		if end.Source == index.HandoffSource {
			return hint.With(fmt.Errorf("%s was %s: it is in no session here, so nothing can be linked to it",
				names[i], end.SessionTitle),
				"state what holds now in a session of yours, or have its agent note it (recall_note), and link that")
		}
		if end.Item.ID == "" {
			at := payload.Handle(end.Project, end.SessionN)
			return hint.With(fmt.Errorf("%s was said in turn %d of %s, but is not an item", names[i], end.Turn, at),
				"add it in your own words with recall edit %s, and link that", at)
		}
	}
	later, earlier := ends[0], ends[1]
	a, b := later.Item.Kind, earlier.Item.Kind
	switch {
	case later.Item.ID == earlier.Item.ID:
		return fmt.Errorf("%s and %s are the same item", names[0], names[1])
	case later.Project != earlier.Project:
		return hint.With(fmt.Errorf("they belong to two projects, %s and %s", later.Project, earlier.Project),
			"recall project merge makes them one")
	case link.Op == payload.OpLink && !relate.Comparable(a, b):
		return hint.With(fmt.Errorf("one of them is of kind %s, the other of kind %s: these kinds can't be linked", a, b),
			"goals, next steps, files and statuses are each linked only to their own kind; "+
				"if the kind is wrong, move its line under the right heading with recall edit")
	}
	link.From, link.FromSession, link.FromEvidence = later.Item.ID, later.Session, payload.EvidenceOf(&later.Item)
	link.To, link.ToSession, link.ToEvidence = earlier.Item.ID, earlier.Session, payload.EvidenceOf(&earlier.Item)
	link.Maker, link.Who, link.Said = payload.ByHuman, who, time.Now().UTC().Truncate(time.Millisecond)
	if link.At = later.Item.At; earlier.Item.At.After(link.At) { // the older one holds
		link.At = earlier.Item.At
	}
	if link.Op == payload.OpLink {
		return l.AppendLinks([]payload.Link{link})
	}
	back := link // the link in the other direction
	back.From, back.FromSession, back.FromEvidence = link.To, link.ToSession, link.ToEvidence
	back.To, back.ToSession, back.ToEvidence = link.From, link.FromSession, link.FromEvidence
	lines, err := l.Links()
	if err != nil {
		return err
	}
	if link.Op == payload.OpUnsay {
		return unsay(l, lines, link)
	}
	if !slices.ContainsFunc(payload.StandingLinks(lines), func(k payload.Link) bool {
		return k.From == link.From && k.To == link.To || k.From == back.From && k.To == back.To
	}) {
		return hint.With(fmt.Errorf("nothing links %s and %s", names[0], names[1]),
			"recall why ITEM lists an item's links; numbers refer to the last answer")
	}
	return l.AppendLinks([]payload.Link{link, back})
}

// unsay withdraws what a person last said about two items, in either direction: what they had said before holds again.
func unsay(l *library.Library, lines []payload.Link, word payload.Link) error {
	var before, last payload.Link
	for _, k := range lines {
		pair := k.From == word.From && k.To == word.To || k.From == word.To && k.To == word.From
		if pair && k.Maker == payload.ByHuman {
			before, last = last, k
		}
	}
	if last.Op != payload.OpLink {
		return errors.New("nothing was said about these two, or it was already taken back")
	}
	if before.From != last.From || before.Op == payload.OpUnsay {
		before = last
		before.Op, before.Relation = payload.OpUnsay, ""
	}
	before.Said, before.Who = word.Said, word.Who
	return l.AppendLinks([]payload.Link{before})
}
