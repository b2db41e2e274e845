package pipeline

import (
	"context"
	"fmt"
	"slices"

	"recall/ingest"
)

// ReadSource parses and redacts a session where its client writes it, and returns where it really ran. Nothing is
// written to the library.
func (p *Pipeline) ReadSource(ctx context.Context, f ingest.Found) (s *ingest.Session, ran ingest.Where, err error) {
	reader, err := p.reader(f.Source)
	if err != nil {
		return nil, ran, err
	}
	err = Safely("parse", func() (err error) {
		if s, err = reader.Parse(ctx, f); err == nil {
			ingest.Own([]*ingest.Session{s})
			ran = s.Where
			Redact(p.Rules, s)
		}
		return err
	})
	if err != nil {
		return nil, ran, fmt.Errorf("%s: %w", PathOf(f), err)
	}
	return s, ran, nil
}

// Unarchived lists the sessions at their sources, or below from, that the library doesn't have in their current
// state, and what can't be read. It writes nothing.
func (p *Pipeline) Unarchived(ctx context.Context, from []string) ([]ingest.Found, []ingest.Problem) {
	r := p.newRun(Options{From: from})
	defer r.seen.close() // nothing was changed
	r.bytesOnly = true
	all := slices.DeleteFunc(r.discover(ctx, r.find(ctx)), func(f ingest.Found) bool {
		gone, err := p.Library.Forgotten(f.ID)
		rule, fault := p.Excludes(ctx, f)
		return err != nil || fault != nil || gone || rule != "" || r.gone[f.ID] != nil
	})
	return all, r.report.Problems
}

// AtSource reports whether a client's folders hold a session with this id.
func (p *Pipeline) AtSource(ctx context.Context, id ingest.SessionID) bool {
	return slices.ContainsFunc(p.search(ctx, nil, p.lastSeen()), func(in foundIn) bool {
		return slices.ContainsFunc(in.sessions, func(f ingest.Found) bool { return f.ID == id })
	})
}
