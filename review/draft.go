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
	Kept    int         `json:"kept"`             // lines that the conversation bears out
	Dropped []DraftLine `json:"dropped"`          // and those that it doesn't
	Quotes  []DraftLine `json:"quotes,omitempty"` // lines that are kept, but not for the words that the draft quotes
}

// DraftLine is a line of a draft, and why it isn't kept as it is.
type DraftLine struct {
	Line int    `json:"line"`
	Text string `json:"text"`
	Why  string `json:"why"`
}

// TakeDraft notes what of a draft a session bears out. The next sync of the session
// merges it with what recall found itself.
func TakeDraft(ctx context.Context, p *pipeline.Pipeline, id ingest.SessionID, text string) (*Draft, error) {
	s, err := p.Read(ctx, id)
	if err != nil {
		return nil, err
	}
	lines, err := notes.GroundDraft(s, p.Rules.Session().Text(text), time.Now())
	if err != nil {
		return nil, err
	}
	records, err := p.Library.Notes(id)
	if err != nil && !errors.Is(err, library.ErrDamaged) {
		return nil, err
	}
	have := payload.DecodeNotes(records)
	d := &Draft{}
	for _, at := range lines {
		if at.Note == nil {
			d.Dropped = append(d.Dropped, DraftLine{at.N, at.Text, at.Why})
			continue
		}
		d.Kept++
		if at.Unquoted != "" {
			d.Quotes = append(d.Quotes, DraftLine{at.N, at.Quote, at.Unquoted})
		}
		if slices.ContainsFunc(have, func(n payload.Note) bool { return n.Kind == at.Note.Kind && n.Text == at.Note.Text }) {
			continue // it was wrapped up before
		}
		if err := p.Library.Inbox(at.Note); err != nil {
			return nil, err
		}
	}
	return d, nil
}
