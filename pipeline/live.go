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
	var all []ingest.Found
	p.each(ctx, nil, openSeen(p.seenPath(), p.version()),
		func(_ string, found []ingest.Found, _ ingest.Found, _ []ingest.Problem) { all = append(all, found...) })
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

// Unarchived lists the sessions at their sources, or below from, that the library doesn't
// have as they are, and what can't be read. It writes nothing.
func (p *Pipeline) Unarchived(ctx context.Context, from []string) ([]ingest.Found, []ingest.Problem) {
	r := p.newRun(Options{From: from})
	all := slices.DeleteFunc(r.discover(ctx), func(f ingest.Found) bool {
		gone, err := p.Library.Forgotten(f.ID)
		return err != nil || gone || r.gone[f.ID] != nil
	})
	return all, r.report.Problems
}
