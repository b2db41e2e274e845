package pipeline

import (
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

// projectOf determines a redacted session's project from the places where it really ran. Only the project's entry
// knows those; its name holds no secret.
func (p *Pipeline) projectOf(s *ingest.Session, ran ingest.Where, clean *redact.Redactor) (library.Project, error) {
	roots, err := p.Library.Roots()
	if err != nil {
		return library.Project{}, err
	}
	exact := *s
	exact.Where = ran
	told := ingest.ProjectOf(&exact, roots)
	told.Clean(clean.Name)
	return p.Library.ProjectFor(told)
}
