package pipeline

import (
	"context"
	"slices"

	"recall/ingest"
	"recall/library"
)

// Read reads a session back from the library as distillers see it: parsed, its
// turns told from those that it copied as a fork, secrets out.
func (p *Pipeline) Read(ctx context.Context, id ingest.SessionID) (*ingest.Session, error) {
	s, err := p.ReadExact(ctx, id)
	if err == nil {
		err = safely("redact", func() error { Redact(p.Rules, s); return nil })
	}
	return s, err
}

// ReadExact is Read with the secrets left in: nothing of it may be shown or
// derived but what a person gets back as it was.
func (p *Pipeline) ReadExact(ctx context.Context, id ingest.SessionID) (*ingest.Session, error) {
	if _, err := p.Library.Session(id); err != nil {
		return nil, err
	}
	entries, err := p.Library.Sessions()
	if err != nil {
		return nil, err
	}
	r := &run{Pipeline: p}
	for _, members := range families(entries) {
		if slices.ContainsFunc(members, func(e library.Entry) bool { return e.ID == id }) {
			return r.readOne(ctx, members, id)
		}
	}
	return nil, library.ErrNoSession
}

// readOne parses a family, and returns one of it. Relatives that can't be read
// are left out.
func (r *run) readOne(ctx context.Context, members []library.Entry, id ingest.SessionID) (*ingest.Session, error) {
	var all []*ingest.Session
	var wanted *ingest.Session
	for _, m := range members {
		var s *ingest.Session
		err := safely("parse", func() (err error) {
			s, err = r.parseOne(ctx, m)
			return err
		})
		if err != nil && m.ID == id {
			return nil, err
		}
		if err == nil {
			all = append(all, s)
		}
		if m.ID == id {
			wanted = s
		}
	}
	err := safely("compare with its forks", func() error {
		ingest.Own(all)
		ingest.AdoptPlans(all)
		return nil
	})
	return wanted, err
}
