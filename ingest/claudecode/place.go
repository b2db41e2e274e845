package claudecode

import (
	"strconv"
	"time"

	"recall/ingest"
)

// place notes where and with what the record was written.
func (p *parser) place(r *record) {
	w := &p.s.Where
	if changed(r.cwd, p.meta.dir) {
		p.meta.dir = p.text(r.cwd)
		p.countDir(p.meta.dir, 0)
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

// changed reports whether raw is something else than was seen last; most lines
// repeat it.
func changed(raw []byte, last string) bool {
	return len(raw) > 0 && string(raw) != last
}

func (p *parser) countDir(dir string, turns int) {
	for i := range p.s.Where.Cwds {
		if c := &p.s.Where.Cwds[i]; c.Dir == dir {
			c.Turns += turns
			return
		}
	}
	p.s.Where.Cwds = append(p.s.Where.Cwds, ingest.CwdCount{Dir: dir, Turns: turns})
}

// when reads a record's time; the zero time if it has none or nonsense.
func (p *parser) when(r *record) time.Time {
	t, ok := parseTime(r.at)
	if !ok && len(r.at) > 0 {
		p.meta.badTimes++
	}
	return t
}

var earliest, latest = time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)

// parseTime reads an RFC 3339 time, or milliseconds since 1970; one before there
// was any coding tool, or after this century, is no time.
func parseTime(raw []byte) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339Nano, string(raw))
	if err != nil {
		var ms int64
		ms, err = strconv.ParseInt(string(raw), 10, 64)
		t = time.UnixMilli(ms)
	}
	if err != nil || t.Before(earliest) || t.After(latest) {
		return time.Time{}, false
	}
	return t.UTC(), true
}
