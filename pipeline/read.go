package pipeline

import (
	"cmp"
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
		err = Safely("redact", func() error { Redact(p.Rules, s); return nil })
	}
	return s, err
}

// ReadExact is Read with the secrets left in: nothing of it may be shown or
// derived but what a person gets back as it was. Relatives that can't be read are
// left out.
func (p *Pipeline) ReadExact(ctx context.Context, id ingest.SessionID) (*ingest.Session, error) {
	if _, err := p.Library.Session(id); err != nil {
		return nil, err
	}
	entries, err := p.Library.Sessions()
	if err != nil {
		return nil, err
	}
	f := familyOf(entries, id)
	if f == nil {
		return nil, library.ErrNoSession
	}
	err = p.readAll(ctx, f)
	m := f.Members[slices.Index(f.IDs(), string(id))]
	return m.Session, cmp.Or(m.Fault, err)
}
