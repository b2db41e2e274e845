package review

import (
	"errors"
	"fmt"
	"time"

	"recall/ingest"
	"recall/library"
	"recall/payload"
)

// ErrLine: a line as a person wrote it can't be an item's.
var ErrLine = errors.New("no line of an item")

// Say keeps what a person says about an item; when it returns that is durable. The
// word is to keep, pin or drop it, or to set its line as in payload.md. What somebody
// handed over is taken over by it, or refused.
func Say(l *library.Library, u Unseen, word payload.Op, line, who string) error {
	now := time.Now().UTC().Truncate(time.Second)
	if u.Handoff != "" {
		said := library.Received{Op: library.OpAccept, Handoff: u.Handoff, Item: u.ID, Line: line, At: now, Who: who,
			Pin: word == payload.OpPin}
		if word == payload.OpDrop {
			said.Op = library.OpRefuse
		}
		return l.Receive(said)
	}
	edits := []payload.Edit{{Op: word, ID: u.ID, At: now, Who: who}}
	switch word {
	case payload.OpKeep:
		edits = keeps(who, u)
	case payload.OpPin:
		edits = append(edits, keeps(who, u)...)
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
	return []payload.Edit{{Op: payload.OpKeep, ID: u.ID, At: time.Now().UTC().Truncate(time.Second), Who: who,
		Seen: payload.Look(&u.Item)}}
}
