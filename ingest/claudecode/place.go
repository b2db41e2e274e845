package claudecode

import (
	"time"

	"recall/ingest"
)

// place notes where and with what the record was written.
func (p *parser) place(r *record) {
	w := &p.s.Where
	if changed(r.cwd, p.meta.dir) {
		p.meta.dir = p.text(r.cwd)
		p.s.CountDir(p.meta.dir, 0)
	}
	if changed(r.branch, w.Branch) && string(r.branch) != "HEAD" {
		w.Branch = p.text(r.branch)
		w.Branches = ingest.Union(w.Branches, w.Branch)
	}
	if changed(r.version, p.meta.version) {
		p.meta.version = p.text(r.version)
		p.s.Versions = ingest.Union(p.s.Versions, p.meta.version)
	}
	if changed(r.session, p.meta.session) {
		p.meta.session = p.text(r.session)
		p.meta.sessions = ingest.Union(p.meta.sessions, p.meta.session)
	}
	if changed(r.entrypoint, p.meta.entrypoint) {
		p.meta.entrypoint = p.text(r.entrypoint)
	}
	if len(r.forkSession) > 0 && p.meta.forkOf == "" {
		p.meta.forkOf = p.text(r.forkSession)
	}
	if string(r.sessionKind) == "bg" {
		p.meta.background = true
	}
}

// changed reports whether raw differs from what was seen last; most lines repeat it.
func changed(raw []byte, last string) bool {
	return len(raw) > 0 && string(raw) != last
}

// when reads a record's time; the zero time if it has none or nonsense.
func (p *parser) when(r *record) time.Time {
	t, ok := ingest.ParseTime(string(r.at))
	if !ok && len(r.at) > 0 {
		p.meta.badTimes++
	}
	return t
}
