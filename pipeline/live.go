package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"recall/ingest"
)

// AtSources lists the sessions at their sources, the one last written to first.
func (p *Pipeline) AtSources(ctx context.Context) []ingest.Found {
	known := openSeen(p.seenPath(), p.version())
	var all []ingest.Found
	for _, reader := range p.Readers {
		for _, root := range p.RootsOf(reader) {
			found, _ := reader.Find(ctx, root, known.session)
			all = append(all, found...)
		}
	}
	slices.SortStableFunc(all, func(a, b ingest.Found) int { return cmp.Compare(modified(b), modified(a)) })
	return all
}

// ReadSource parses a session where it is being written, secrets out, and says
// where it really ran. Nothing of it goes to the library.
func (p *Pipeline) ReadSource(ctx context.Context, f ingest.Found) (s *ingest.Session, ran ingest.Where, err error) {
	reader, err := p.reader(f.Source)
	if err != nil {
		return nil, ran, err
	}
	err = safely("parse", func() (err error) {
		if s, err = reader.Parse(ctx, f); err == nil {
			ingest.Own([]*ingest.Session{s})
			ran = s.Where
			Redact(p.Rules, s)
		}
		return err
	})
	if err != nil {
		return nil, ran, fmt.Errorf("%s: %w", pathOf(f), err)
	}
	return s, ran, nil
}
