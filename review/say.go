package review

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"recall/distill/relate"
	"recall/hint"
	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/payload"
)

// ErrLine: a line as a person wrote it can't be an item's.
var ErrLine = errors.New("no line of an item")

// Say keeps what a person says about an item; when it returns that is durable. The
// word is to keep, pin or drop it, to take these back (OpUnpin), or to set its
// line as in payload.md. What somebody handed over is taken over by it, or refused.
func Say(l *library.Library, u Unseen, word payload.Op, line, who string) error {
	now := time.Now().UTC().Truncate(time.Millisecond)
	if u.Handoff != "" {
		said := library.Received{Op: library.OpAccept, Handoff: u.Handoff, Item: u.ID, Line: line, At: now, Who: who,
			Pin: word == payload.OpPin}
		switch word {
		case payload.OpDrop:
			said.Op = library.OpRefuse
		case payload.OpUnpin:
			return fmt.Errorf("what was said of an item of handoff %s can't be taken back", u.Handoff)
		}
		return l.Receive(said)
	}
	edits := []payload.Edit{{Op: word, ID: u.ID, At: now, Who: who}}
	switch word {
	case payload.OpKeep:
		edits = keeps(who, u)
	case payload.OpPin:
		edits = append(edits, keeps(who, u)...)
	case payload.OpUnpin:
		edits = nil
		if !u.Current() { // only another word takes a drop back
			edits = append(edits, payload.Edit{Op: payload.OpPin, ID: u.ID, At: now, Who: who})
		}
		if u.Current() || !u.Pinned {
			edits = append(edits, payload.Edit{Op: payload.OpUnpin, ID: u.ID, At: now, Who: who})
		}
		edits = append(edits, payload.Edit{Op: payload.OpKeep, ID: u.ID, At: now, Who: who})
	case payload.OpSet:
		p, err := l.Payload(u.of())
		if err != nil {
			return err
		}
		if edits, err = payload.Reword(p, u.ID, line, payload.Edit{At: now, Who: who}); err != nil {
			return fmt.Errorf("%w: %w", ErrLine, err)
		}
	}
	return l.AppendEdits(u.of(), edits)
}

// Keep says of items of sessions that they were looked at as they are.
func Keep(l *library.Library, items []Unseen, who string) error {
	bySession := map[ingest.SessionID][]payload.Edit{}
	for _, u := range items {
		bySession[u.of()] = append(bySession[u.of()], keeps(who, u)...)
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

// Relate keeps a person's word on how one item bears on another, that it doesn't (OpRetract), or takes back what they
// said last of the two (OpUnsay). Names are what they called the two, the later first.
func Relate(l *library.Library, link payload.Link, ends [2]index.Placed, names [2]string, who string) error {
	for i, end := range ends {
		if end.Source == index.Handed {
			return hint.With(fmt.Errorf("%s was %s: it stands in no session here, so nothing can be tied to it",
				names[i], end.SessionTitle),
				"say what holds now in a session of yours, or have its agent note it (recall_note): that can be tied")
		}
		if end.Item.ID == "" {
			at := payload.Handle(end.Project, end.SessionN)
			return hint.With(fmt.Errorf("%s was said in turn %d of %s, and no item was made of it", names[i], end.Turn, at),
				"put it in words of your own with recall edit %s: that can be tied", at)
		}
	}
	later, earlier := ends[0], ends[1]
	a, b := later.Item.Kind, earlier.Item.Kind
	switch {
	case later.Item.ID == earlier.Item.ID:
		return fmt.Errorf("%s and %s are the same item", names[0], names[1])
	case later.Project != earlier.Project:
		return hint.With(fmt.Errorf("they are of two projects, %s and %s", later.Project, earlier.Project),
			"recall project merge makes them one")
	case link.Op == payload.OpLink && !relate.Comparable(a, b):
		return hint.With(fmt.Errorf("one of them is of kind %s, the other of kind %s: neither bears on the other", a, b),
			"a goal is tied to goals only, and so are next steps, files and statuses; "+
				"if the kind is wrong, move its line under the right heading with recall edit")
	}
	link.From, link.FromSession, link.FromEvidence = later.Item.ID, later.Session, payload.EvidenceOf(&later.Item)
	link.To, link.ToSession, link.ToEvidence = earlier.Item.ID, earlier.Session, payload.EvidenceOf(&earlier.Item)
	link.Maker, link.Who, link.Said = payload.ByHuman, who, time.Now().UTC().Truncate(time.Millisecond)
	if link.At = later.Item.At; earlier.Item.At.After(link.At) { // the old one was right
		link.At = earlier.Item.At
	}
	if link.Op == payload.OpLink {
		return l.AppendLinks([]payload.Link{link})
	}
	back := link // whichever way round it was
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
		return hint.With(fmt.Errorf("nothing ties %s and %s", names[0], names[1]),
			"recall why ITEM lists what bears on an item; numbers are those of the last answer")
	}
	return l.AppendLinks([]payload.Link{link, back})
}

// unsay takes back what a person said last of two items, whichever way round: what they had said before holds again.
func unsay(l *library.Library, lines []payload.Link, word payload.Link) error {
	var before, last payload.Link
	for _, k := range lines {
		pair := k.From == word.From && k.To == word.To || k.From == word.To && k.To == word.From
		if pair && k.Maker == payload.ByHuman {
			before, last = last, k
		}
	}
	if last.Op != payload.OpLink {
		return errors.New("nothing was said of these two, or it was taken back already")
	}
	if before.From != last.From || before.Op == payload.OpUnsay {
		before = last
		before.Op, before.Relation = payload.OpUnsay, ""
	}
	before.Said, before.Who = word.Said, word.Who
	return l.AppendLinks([]payload.Link{before})
}
