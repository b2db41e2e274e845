package review

import (
	"context"
	"errors"
	"slices"
	"time"

	"recall/ingest"
	"recall/internal/redact"
	"recall/library"
	"recall/library/inbox"
	"recall/payload"
	"recall/pipeline"
	"recall/pipeline/notes"
)

// Draft is the result of an agent's own draft of a payload.
type Draft struct {
	Kept   int         `json:"kept"`             // lines that the conversation supports
	Known  int         `json:"known,omitempty"`  // lines that the page has as they are
	Claims []DraftLine `json:"claims,omitempty"` // unsupported lines, kept as the agent's own claims

	Sessions []ingest.SessionID `json:"-"` // that notes were added to
}

// DraftLine is a line of a draft, and what is wrong with it.
type DraftLine struct {
	Line int    `json:"line"`
	Text string `json:"text"`
	Why  string `json:"why"`
}

// mostEarlier is how many earlier sessions of the thread a draft is checked against.
const mostEarlier = 5

// TakeDraft records the lines of a draft that the session, or an earlier one of its thread, supports as notes there,
// and the rest as the agent's own claims. The next sync of these sessions merges them with what recall found.
func TakeDraft(ctx context.Context, p *pipeline.Pipeline, e library.Entry, text string) (*Draft, error) {
	lines := notes.ReadDraft(redact.Text(text))
	next, err := pipeline.NextPayload(ctx, p.Library, p.Index, e.Project, "", e.ID)
	if err != nil {
		return nil, err
	}
	if next == nil { // nothing was distilled yet
		next = &payload.Payload{}
	}
	thread := []string{string(e.ID)}
	for _, id := range slices.Backward(next.Thread) {
		if id != string(e.ID) && len(thread) <= mostEarlier {
			thread = append(thread, id)
		}
	}
	now, all := time.Now(), len(lines)
	lines = slices.DeleteFunc(lines, func(l notes.DraftLine) bool {
		return slices.ContainsFunc(next.Items, func(o payload.Item) bool { // a file in the same state, or a passage
			if o.Kind == payload.File && l.Item.Kind == payload.File {
				return o.Path == l.Item.Path && (l.Item.Status == "" || l.Item.Status == o.Status) && l.Item.Text == ""
			}
			return o.Kind == payload.Lead && o.Text == l.Item.Text
		})
	})
	for _, id := range thread {
		s, err := p.Read(ctx, ingest.SessionID(id))
		if err != nil {
			return nil, err
		}
		notes.GroundDraft(s, lines, now)
	}
	d := &Draft{Known: all - len(lines)}
	for k := range lines {
		l := &lines[k]
		if l.Note == nil {
			d.Claims = append(d.Claims, DraftLine{l.N, payload.LineOf(&l.Item), l.Why})
			l.Note = l.Claim(string(e.ID), now)
		} else {
			d.Kept++
		}
		if err := d.note(p.Library, l.Note); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// note stores a note, unless an earlier wrap-up did.
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
	return inbox.Add(l, n)
}
