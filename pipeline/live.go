package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recall/ingest"
	"recall/internal/text"
	"recall/library"
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
	all := slices.DeleteFunc(r.discover(ctx, r.find(ctx)), func(f ingest.Found) bool {
		gone, err := p.Library.Forgotten(f.ID)
		rule, fault := p.Excludes(ctx, f)
		return err != nil || fault != nil || gone || rule != "" || r.gone[f.ID] != nil
	})
	return all, r.report.Problems
}

// maxParsed is how many unknown sessions are parsed to find a project's last one.
const maxParsed = 8

// ErrNowhere says that no client on this machine has any session.
var ErrNowhere = errors.New("no session at any source")

// Running finds a session where its client writes it: the one of the given name, else the one last written to in
// dir's project. The library may be nil. If there is none, the error is library.ErrNoSession or ErrNowhere.
func (p *Pipeline) Running(ctx context.Context, name, dir string) (ingest.Found, error) {
	var all []ingest.Found
	for _, in := range p.search(ctx, nil, p.lastSeen()) {
		all = append(all, in.sessions...)
	}
	slices.SortStableFunc(all, func(a, b ingest.Found) int { return cmp.Compare(modified(b), modified(a)) })
	if len(all) == 0 {
		return ingest.Found{}, ErrNowhere
	}
	if name != "" {
		id := strings.ToLower(name)
		if p.Library != nil {
			if e, err := p.Library.Lookup(name); err == nil {
				id = string(e.ID)
			}
		}
		for _, f := range all {
			own := strings.ToLower(string(f.ID))
			if strings.HasPrefix(own, id) || strings.HasPrefix(text.BareID(own), id) {
				return f, nil
			}
		}
		return ingest.Found{}, library.ErrNoSession
	}
	known := map[ingest.SessionID]string{} // their projects
	here := ""
	if p.Library != nil {
		here, _ = ProjectAt(p.Library, dir)
		catalog, err := p.Library.Catalog()
		if err != nil {
			return ingest.Found{}, err
		}
		for _, e := range catalog.Entries {
			known[e.ID] = catalog.Of(e).ID
		}
	}
	root := RealOf(dir)
	if repo, ok := ingest.RepositoryOf(dir); ok {
		root = repo.Root
	}
	looked := 0
	for _, f := range all {
		if project, ok := known[f.ID]; ok {
			if here != "" && project == here {
				return f, nil
			}
			continue
		}
		if looked++; looked > maxParsed {
			continue
		}
		s, ran, err := p.ReadSource(ctx, f)
		if err != nil {
			continue
		}
		if ingest.ProjectOf(&ingest.Session{Source: s.Source, Where: ran}, nil).Root == root {
			return f, nil
		}
	}
	return ingest.Found{}, library.ErrNoSession
}
