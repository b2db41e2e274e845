package pipeline

import (
	"slices"

	"recall/ingest"
	"recall/internal/redact"
	"recall/library"
)

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
