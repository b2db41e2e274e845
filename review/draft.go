package review

import (
	"context"
	"errors"
	"slices"
	"time"

	"recall/ingest"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
	"recall/pipeline/notes"
)

// Draft is what became of an agent's own draft of a payload.
type Draft struct {
	Kept   int         `json:"kept"`             // lines that the conversation bears out
	Claims []DraftLine `json:"claims,omitempty"` // those that it doesn't, kept as the agent's own
	Quotes []DraftLine `json:"quotes,omitempty"` // lines that are kept, but not for the words that the draft quotes

	Sessions []ingest.SessionID `json:"-"` // in which something was noted
}

// DraftLine is a line of a draft, and what isn't borne out of it.
type DraftLine struct {
	Line int    `json:"line"`
	Text string `json:"text"`
	Why  string `json:"why"`
}

// mostEarlier is how many earlier sessions of a thread a draft is held against.
const mostEarlier = 5

// TakeDraft notes what of a draft a session bears out, or an earlier one of its thread
// there, and the rest as the agent's own claims. The next sync of these sessions merges
// it with what recall found itself.
func TakeDraft(ctx context.Context, p *pipeline.Pipeline, e library.Entry, text string) (*Draft, error) {
	lines := notes.ReadDraft(p.Rules.Session().Text(text))
	next, err := pipeline.Onward(ctx, p.Library, p.Index, e.Project, "", e.ID)
	if err != nil {
		return nil, err
	}
	if next == nil { // nothing of it was distilled
		next = &payload.Payload{}
	}
	thread := []string{string(e.ID)}
	for _, id := range slices.Backward(next.Thread) {
		if id != string(e.ID) && len(thread) <= mostEarlier {
			thread = append(thread, id)
		}
	}
	now := time.Now()
	lines = slices.DeleteFunc(lines, func(l notes.DraftLine) bool { return onRecord(next, &l.Item) })
	for _, id := range thread {
		s, err := p.Read(ctx, ingest.SessionID(id))
		if err != nil {
			return nil, err
		}
		notes.GroundDraft(s, lines, now)
	}
	d := &Draft{}
	for k := range lines {
		l := &lines[k]
		said := payload.LineOf(&l.Item)
		switch {
		case l.Note == nil:
			d.Claims = append(d.Claims, DraftLine{l.N, said, l.Why})
			l.Note = l.Claim(string(e.ID), now)
		case l.Unquoted != "":
			d.Quotes = append(d.Quotes, DraftLine{l.N, l.Quote, l.Unquoted})
			d.Kept++
		default:
			d.Kept++
		}
		if err := d.note(p.Library, l.Note); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// onRecord reports whether a line says what the payload has already: a file as it stands
// there, or a passage.
func onRecord(p *payload.Payload, it *payload.Item) bool {
	return slices.ContainsFunc(p.Items, func(o payload.Item) bool {
		if o.Kind == payload.File && it.Kind == payload.File {
			return o.Path == it.Path && (it.Status == "" || it.Status == o.Status) && it.Text == ""
		}
		return o.Kind == payload.Lead && o.Text == it.Text
	})
}

// note keeps a note, unless it was when the session was wrapped up before.
func (d *Draft) note(l *library.Library, n *payload.Note) error {
	id := ingest.SessionID(n.Session)
	if !slices.Contains(d.Sessions, id) {
		d.Sessions = append(d.Sessions, id)
	}
	records, err := l.Notes(id)
	if err != nil && !errors.Is(err, library.ErrDamaged) {
		return err
	}
	have := payload.DecodeNotes(records)
	if slices.ContainsFunc(have, func(o payload.Note) bool {
		return o.Kind == n.Kind && o.Text == n.Text && o.Path == n.Path && o.Claim == n.Claim
	}) {
		return nil
	}
	return l.Inbox(n)
}
