package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"recall/ingest"
	"recall/ingest/trace"
	"recall/internal/redact"
	"recall/library"
)

// ReadFamily reads a family from the library in its current state, settles which session owns which turns, and
// redacts. What can't be read becomes a member's Fault.
func (p *Pipeline) ReadFamily(ctx context.Context, f *Family) {
	for _, m := range f.Members {
		if now, err := p.Library.Session(m.Entry.ID); err == nil {
			m.Entry = now // it may have grown
		}
	}
	f.seeBeside()
	p.parse(ctx, f)
}

// parse reads a family from the library, settles which session owns which turns, and redacts. Nothing after it sees
// an unredacted word.
func (p *Pipeline) parse(ctx context.Context, f *Family) {
	err := p.readAll(ctx, f)
	for _, m := range f.Members {
		if m.Fault == nil && err == nil {
			m.ran, m.worked = m.Session.Where, trace.WorkedIn(m.Session)
			m.Fault = Safely("redact", func() error { m.clean = Redact(p.Rules, m.Session); return nil })
		}
		m.Fault = cmp.Or(m.Fault, err)
	}
}

// readAll is parse without redaction.
func (p *Pipeline) readAll(ctx context.Context, f *Family) error {
	var whole []*ingest.Session
	for _, m := range f.Members {
		m.Fault = Safely("parse", func() (err error) {
			m.Session, err = p.parseOne(ctx, m.Entry)
			if err == nil {
				m.planKeys = ingest.PlanKeys(m.Session)
			}
			return err
		})
		if m.Fault == nil {
			whole = append(whole, m.Session)
		}
	}
	return Safely("compare with its forks", func() error {
		ingest.Own(whole)
		ingest.AdoptPlans(whole)
		return nil
	})
}

// Safely turns a panic into an error: a transcript that breaks some rule affects no other session.
func Safely(what string, do func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%s: a fault in recall: %v", what, v)
		}
	}()
	return do()
}

func (p *Pipeline) parseOne(ctx context.Context, m library.Entry) (*ingest.Session, error) {
	reader, found, err := p.archived(m)
	if err != nil {
		return nil, err
	}
	s, err := reader.Parse(ctx, found)
	if err != nil {
		return nil, err
	}
	if err := p.addEarlier(ctx, reader, m, found, s); err != nil {
		return nil, err
	}
	s.MarkGaps()
	s.ID = m.ID // the key of its folder, whatever its lines say
	return s, nil
}

// addEarlier adds to a session what only earlier versions of its files had, the newest first. A document that is
// rewritten as it grows has many; of these only one that was longer than the next lost anything.
func (p *Pipeline) addEarlier(ctx context.Context, reader ingest.Reader, m library.Entry, found ingest.Found,
	s *ingest.Session) error {
	several := func(f library.FileState) bool { return f.Version > 1 || f.Fullest > 0 }
	if !slices.ContainsFunc(m.Files, several) {
		return nil
	}
	versions, err := p.Library.Versions(m.ID)
	if err != nil {
		return err
	}
	slices.Reverse(versions) // so the newest come first
	for i, v := range versions {
		at := slices.IndexFunc(found.Files, func(f ingest.File) bool { return f.Name == v.Name })
		kept := inPlace(m.Source) && i > 0 && versions[i-1].Name == v.Name && versions[i-1].Size >= v.Size
		if v.Current || at < 0 || v.Role != ingest.Transcript || kept {
			continue
		}
		was := found
		was.Files = slices.Clone(found.Files)
		was.Files[at].Size, was.Files[at].Open = v.Size, func() (io.ReadCloser, error) {
			r, _, err := p.Library.OpenVersion(m.ID, v.Name, v.Version)
			return r, err
		}
		if earlier, err := reader.Parse(ctx, was); err == nil { // else recall check says more
			ingest.UniteVersions(s, earlier)
		}
	}
	return nil
}

// inPlace reports whether a client rewrites a session as it grows; others only ever append to it.
func inPlace(client ingest.Source) bool { return client == ingest.OpenCode || client == ingest.Gemini }

// Read reads a session back from the library as distillers see it: parsed, redacted, with turns that it copied as a
// fork marked, under the title that a person may have given it.
func (p *Pipeline) Read(ctx context.Context, id ingest.SessionID) (*ingest.Session, error) {
	s, err := p.ReadExact(ctx, id)
	if err == nil {
		err = Safely("redact", func() error { Redact(p.Rules, s); return nil })
	}
	if e, lost := p.Library.Session(id); err == nil && lost == nil {
		s.Title = cmp.Or(e.Title, s.Title)
	}
	return s, err
}

// ReadExact is Read without redaction: show or derive nothing from it except what a person gets back unchanged.
// Relatives that can't be read are left out.
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

// Redact takes the secrets out of a session, places and names too: everything derived sees only the result. What
// reveals a secret may come after it (a folder is named by a password that a later turn gives away), so a session
// with secrets is gone through twice.
func Redact(rules *redact.Rules, s *ingest.Session) *redact.Redactor {
	r := rules.Session()
	s.MapText(r.Text)
	if len(r.Counts()) > 0 {
		s.MapText(r.Known)
	}
	return r
}

// findProjects determines a redacted session's projects from the places where it really ran. Only the projects' entries
// know those; their names hold no secret.
func (p *Pipeline) findProjects(m *Member) error {
	roots, err := p.Library.Roots()
	if err != nil {
		return err
	}
	exact := *m.Session
	exact.Where = m.ran
	own := ingest.ProjectOf(&exact, roots)
	also, briefly := ingest.AlsoIn(&exact, roots, own, m.worked)
	own.Clean(m.clean.Name)
	m.project, err = p.Library.ProjectFor(own)
	m.also, m.briefly = nil, nil
	for i, one := range slices.Concat(also, briefly) {
		if err != nil {
			break
		}
		var other library.Project
		one.Clean(m.clean.Name)
		other, err = p.Library.ProjectFor(one)
		if m.also = append(m.also, other.ID); i >= len(also) {
			m.briefly = append(m.briefly, other.ID)
		}
	}
	return err
}
