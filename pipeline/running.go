package pipeline

import (
	"context"
	"errors"
	"strings"

	"recall/ingest"
	"recall/library"
)

// mostLooked is how many sessions that the library doesn't know are parsed to find
// the last one of a project.
const mostLooked = 8

// ErrNowhere: no client of this machine has any session.
var ErrNowhere = errors.New("no session at any source")

// Running finds a session where its client writes it: the one of a name, else the one last
// written to in the project of a folder. The library may be nil. Where there is none the
// error is library.ErrNoSession, or ErrNowhere.
func (p *Pipeline) Running(ctx context.Context, name, dir string) (ingest.Found, error) {
	all := p.AtSources(ctx)
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
			if strings.HasPrefix(string(f.ID), id) || strings.HasPrefix(strings.TrimPrefix(string(f.ID), "local_"), id) {
				return f, nil
			}
		}
		return ingest.Found{}, library.ErrNoSession
	}
	known := map[ingest.SessionID]string{} // their projects
	here := ""
	if p.Library != nil {
		here, _ = Here(p.Library, dir)
		shelf, err := p.Library.Shelf()
		if err != nil {
			return ingest.Found{}, err
		}
		for _, e := range shelf.Entries {
			known[e.ID] = shelf.Of(e).ID
		}
	}
	root := RootHere(dir)
	looked := 0
	for _, f := range all {
		if project, ok := known[f.ID]; ok {
			if here != "" && project == here {
				return f, nil
			}
			continue
		}
		if looked++; looked > mostLooked {
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
