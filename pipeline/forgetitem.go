package pipeline

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"recall/index"
	"recall/ingest"
	"recall/internal/text"
	"recall/library"
	"recall/library/forget"
	"recall/library/inbox"
	"recall/library/received"
	"recall/payload"
	"recall/pipeline/notes"
)

// An ItemForgetting is what goes with an item, or a passage, whose session stays.
type ItemForgetting struct {
	Entry    library.Entry
	Passage  string         // its words, if it is a passage
	Items    []payload.Item // the item, and others based on the same words
	Edits    int            // people's edits of those items
	Notes    int            // an agent's notes that say the same
	Received []received.Handoff

	lines []library.ForgottenItem
}

// PlanForgetItem says what forgetting an item of a session would remove. A passage is an item without an id, in one
// turn. The error is index.ErrNoItem if the session has no such item, or the turn doesn't contain the passage.
func (p *Pipeline) PlanForgetItem(ctx context.Context, id ingest.SessionID, item payload.Item) (*ItemForgetting,
	error) {
	e, err := p.Library.Session(id)
	if err != nil {
		return nil, err
	}
	own, err := p.Library.Payload(id)
	if err != nil {
		return nil, err
	}
	s, err := p.Read(ctx, id)
	if err != nil {
		return nil, err
	}
	all := slices.Concat(own.Items, own.Retired)
	f := &ItemForgetting{Entry: e}
	of := library.ForgottenItem{Session: id, Name: string(item.ID)}
	if item.ID == "" {
		f.Passage = item.Text
		item.Evidence = []payload.Evidence{{Turn: item.First().Turn, Quote: item.Text}}
		of.Name = "passage-" + text.Hash(string(id)+item.First().Turn+item.Text, 8)
	} else if i := slices.IndexFunc(all, func(it payload.Item) bool { return it.ID == item.ID }); i >= 0 {
		item = all[i]
	} else {
		return nil, fmt.Errorf("%s: %w", item.ID, index.ErrNoItem)
	}
	for _, e := range item.Evidence {
		of.At = append(of.At, passageOf(s, places(s), e))
	}
	f.lines = append(f.lines, of)
	rest := index.DocOf(withoutForgotten(s, f.lines), nil, "").Turns
	if f.Passage != "" && slices.ContainsFunc(rest, func(t index.Turn) bool {
		return t.ID == of.At[0].Turn && (strings.Contains(t.Text, f.Passage) || strings.Contains(t.More, f.Passage))
	}) {
		return nil, index.ErrNoItem // it can't be removed from the rest of the turn
	}
	gone := restingOn(s, f.lines)
	for _, it := range all {
		if !gone(it) {
			continue
		}
		f.Items = append(f.Items, it)
		if it.ID != item.ID {
			f.lines = append(f.lines, library.ForgottenItem{Session: id, Name: string(it.ID)})
		}
	}
	return f, p.planPeople(f, s)
}

// Retired finds, by its id or an unambiguous prefix, an item that no answer shows any more, because a person dropped
// it or the session was distilled without it. The error is index.ErrNoItem.
func (p *Pipeline) Retired(id payload.ItemID) (ingest.SessionID, payload.ItemID, error) {
	all, err := p.Library.Sessions()
	found := map[payload.ItemID]ingest.SessionID{}
	for _, e := range all {
		own, err := p.Library.Payload(e.ID)
		if err != nil {
			continue // it has none, or recall check reports it
		}
		for _, it := range slices.Concat(own.Retired, own.Items) {
			if it.ID == id || len(id) >= 4 && strings.HasPrefix(string(it.ID), string(id)) {
				found[it.ID] = e.ID
			}
		}
	}
	for item, in := range found {
		if item == id || len(found) == 1 {
			return in, item, nil
		}
	}
	return "", "", cmp.Or(err, fmt.Errorf("%s: %w", id, index.ErrNoItem))
}

func (p *Pipeline) planPeople(f *ItemForgetting, s *ingest.Session) error {
	edits, err := p.Library.Edits(f.Entry.ID)
	lines, notesErr := p.Library.Notes(f.Entry.ID)
	back, receivedErr := received.Of(p.Library, f.Entry.ID)
	if err := errors.Join(err, notesErr, receivedErr); err != nil {
		return err
	}
	goes := func(id payload.ItemID) bool {
		return slices.ContainsFunc(f.Items, func(it payload.Item) bool { return it.ID == id })
	}
	f.Received = slices.DeleteFunc(back, func(h received.Handoff) bool {
		return !slices.ContainsFunc(h.Items, func(it payload.Item) bool { return goes(it.ID) })
	})
	for _, e := range edits {
		if goes(e.ID) {
			f.Edits++
		}
	}
	gone := restingOn(s, f.lines)
	for _, line := range lines {
		for _, n := range notes.GroundNotes(s, payload.DecodeNotes([]json.RawMessage{line})) {
			says := n.Item != nil && gone(*n.Item) || slices.ContainsFunc(f.Items, func(it payload.Item) bool {
				return it.Text == n.Note.Text || n.Item != nil && it.Text == n.Item.Text
			})
			if says && n.Note.ID != "" {
				f.Notes++
				f.lines = append(f.lines, library.ForgottenItem{Session: f.Entry.ID, Name: n.Note.ID})
			}
		}
	}
	return nil
}

// ForgetItem forgets an item or a passage for good. If interrupted, the next sync finishes it.
func (p *Pipeline) ForgetItem(ctx context.Context, id ingest.SessionID, item payload.Item) error {
	if _, err := inbox.Fold(p.Library); err != nil { // a note that repeats it may wait there
		return err
	}
	f, err := p.PlanForgetItem(ctx, id, item)
	if err != nil {
		return err
	}
	if err := p.Library.ForgetItems(f.lines...); err != nil {
		return err
	}
	if _, err := p.Sync(ctx, Options{Only: id}); err != nil {
		return err
	}
	all, err := p.Library.ForgottenItems()
	now, unknown := p.Library.Session(id)
	if err := cmp.Or(err, unknown); err != nil || lagging(now, len(all[id])) {
		return cmp.Or(err, errors.New("what was derived from the session could not be made again without it: "+
			"recall sync says why, and continues with it"))
	}
	return p.Library.Journal("forget", map[string]any{"session": id, "item": f.lines[0].Name})
}

// finishItems removes what remains of forgotten items outside the payloads. The payloads are remade: they record how
// many items were forgotten before they were made.
func (p *Pipeline) finishItems(ctx context.Context) error {
	all, err := p.Library.ForgottenItems()
	for _, id := range slices.Sorted(maps.Keys(all)) {
		e, unknown := p.Library.Session(id)
		if unknown != nil || !lagging(e, len(all[id])) {
			continue
		}
		err = errors.Join(err, forget.InFolder(p.Library, id), forget.Items(p.Library, all[id]...), p.IndexReceived(ctx),
			p.Index.Forget(ctx, string(id)), p.forgetSeen([]ingest.SessionID{id}, nil), p.LookAgain())
	}
	return err
}

// lagging reports whether a session's payload was made before this many items were forgotten.
func lagging(e library.Entry, items int) bool {
	return e.Distilled != nil && e.Distilled.Without < items
}

// withoutForgotten returns a session without the forgotten words, so that no answer quotes them. If they are in a
// tool call and it isn't known where, everything asked, answered, planned or committed in that turn is blanked.
func withoutForgotten(s *ingest.Session, gone []library.ForgottenItem) *ingest.Session {
	q, place := *s, places(s)
	q.Turns = slices.Clone(s.Turns)
	for _, g := range gone {
		for _, at := range g.At {
			i := place(at.Turn)
			if i < 0 {
				continue
			}
			t := &q.Turns[i]
			if at.Sum != "" {
				t.Calls = slices.Clone(t.Calls)
				for k := range t.Calls {
					c := &t.Calls[k]
					if c.Answers, c.Reason, c.CommitMessage = nil, "", ""; c.Plan != nil {
						plan := *c.Plan
						plan.Text, c.Plan = "", &plan
					}
				}
			} else if at.From < at.To && at.To <= len(t.Text) && utf8.ValidString(t.Text[at.From:at.To]) {
				t.Text = t.Text[:at.From] + strings.Repeat(" ", at.To-at.From) + t.Text[at.To:]
			}
		}
	}
	return &q
}

// tellingQuote is how many bytes a quote needs to count as a statement rather than mere assent, on which several
// items may be based.
const tellingQuote = 24

// restingOn returns a function that reports whether an item is among those forgotten, or is based on the same words,
// however it is worded itself.
func restingOn(s *ingest.Session, gone []library.ForgottenItem) func(payload.Item) bool {
	place := places(s)
	return func(it payload.Item) bool {
		return slices.ContainsFunc(gone, func(g library.ForgottenItem) bool {
			if g.Name == string(it.ID) {
				return true
			}
			for i, e := range it.Evidence {
				at := passageOf(s, place, e)
				if (i == 0 || len(e.Quote) >= tellingQuote) && slices.ContainsFunc(g.At, func(p library.Passage) bool {
					return overlap(p, at)
				}) {
					return true
				}
			}
			return false
		})
	}
}

// overlap reports whether two passages share most of the shorter one.
func overlap(a, b library.Passage) bool {
	shared := min(a.To, b.To) - max(a.From, b.From)
	return a == b || a.Turn == b.Turn && a.Sum+b.Sum == "" && 2*shared > min(a.To-a.From, b.To-b.From)
}

// passageOf returns where a piece of evidence is.
func passageOf(s *ingest.Session, place func(turn string) int, e payload.Evidence) library.Passage {
	at := library.Passage{Turn: e.Turn}
	if i := place(e.Turn); i >= 0 {
		at.Turn = string(s.Turns[i].ID)
		if from := strings.Index(s.Turns[i].Text, e.Quote); from >= 0 {
			at.From, at.To = from, from+len(e.Quote)
			return at
		}
	}
	at.Sum = text.Hash(string(s.ID)+at.Turn+e.Quote, 8)
	return at
}
