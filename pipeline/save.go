package pipeline

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"time"

	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/payload"
)

// save merges a new distillation with what was there before it and with what
// people did to it, renders it, and writes both forms. It returns the payload
// as saved.
func (r *run) save(e library.Entry, s *ingest.Session, fresh *payload.Payload) (*payload.Payload, error) {
	for try := 0; ; try++ {
		p, err := r.saveOnce(e, s, *fresh)
		if !errors.Is(err, library.ErrEdited) || try == 3 {
			return p, err
		}
	}
}

func (r *run) saveOnce(e library.Entry, s *ingest.Session, fresh payload.Payload) (*payload.Payload, error) {
	old, err := r.Library.Payload(e.ID)
	if err != nil && !errors.Is(err, library.ErrNoPayload) {
		return nil, err
	}
	onDisk, err := r.Library.Markdown(e.ID)
	if err != nil && !errors.Is(err, library.ErrNoPayload) {
		return nil, err
	}
	if err := r.takeEdits(e.ID, old, onDisk); err != nil {
		return nil, err
	}
	edits, err := r.Library.Edits(e.ID)
	if err != nil {
		return nil, err
	}
	fresh.Items = slices.Clone(fresh.Items)
	payload.Inherit(withoutCopied(old, s), &fresh)
	p := payload.Apply(&fresh, edits)
	md := payload.Render(p, payload.Options{Variant: r.Variant, Budget: r.Budget})
	p.Written, p.WrittenIDs = md.Text, md.Shown
	return p, r.Library.SavePayload(e.ID, library.Derived{
		Payload: p, Markdown: []byte(md.Text), Transcript: library.Transcript(s, library.About{Title: p.Title, Project: p.Project}), Seen: onDisk,
	})
}

// writtenLines pairs the lines of a rendered payload with its items. A line
// too short to be told from chance is left out.
func writtenLines(p *payload.Payload) []index.Line {
	doc, err := payload.Read(p.Written)
	if err != nil || len(doc.Lines) != len(p.WrittenIDs) {
		return nil
	}
	text := strings.Split(p.Written, "\n")
	var lines []index.Line
	for i, l := range doc.Lines {
		if line := text[l.N-1]; len(line) >= 24 {
			lines = append(lines, index.Line{Text: line, IDs: []string{string(p.WrittenIDs[i])}})
		}
	}
	return lines
}

// takeEdits makes what a person changed in payload.md durable as operations,
// before anything is rendered over it.
func (r *run) takeEdits(id ingest.SessionID, old *payload.Payload, onDisk []byte) error {
	if old == nil || len(onDisk) == 0 || bytes.Equal(onDisk, []byte(old.Written)) {
		return nil
	}
	edits, err := payload.Merge(old, string(onDisk), r.Who, r.now().Truncate(time.Second))
	if err != nil || len(edits) == 0 {
		return err
	}
	r.report.Edited++
	return r.Library.AppendEdits(id, edits)
}

// withoutCopied leaves out of an earlier payload the items that stand on
// another session's turns: the parent of a fork may have arrived after it.
// They aren't retired, they never were this session's.
func withoutCopied(old *payload.Payload, s *ingest.Session) *payload.Payload {
	if old == nil || s.Parent == nil {
		return old
	}
	copied := map[string]bool{}
	for _, t := range s.Turns {
		if t.Copied {
			copied[string(t.ID)] = true
			for _, id := range t.Records {
				copied[id] = true
			}
		}
	}
	own := func(items []payload.Item) []payload.Item {
		var kept []payload.Item
		for _, it := range items {
			if len(it.Evidence) == 0 || !allCopied(it.Evidence, copied) {
				kept = append(kept, it)
			}
		}
		return kept
	}
	q := *old
	q.Items, q.Retired = own(old.Items), own(old.Retired)
	return &q
}

func allCopied(evidence []payload.Evidence, copied map[string]bool) bool {
	for _, e := range evidence {
		if !copied[e.Turn] {
			return false
		}
	}
	return true
}
