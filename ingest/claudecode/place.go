package claudecode

import (
	"math"
	"strconv"
	"strings"
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
	t, ok := ParseTime(string(r.at))
	if !ok && len(r.at) > 0 {
		p.meta.badTimes++
	}
	return t
}

var earliest, latest = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)

// ParseTime reads an RFC 3339 time, one without a zone, or a number since 1970: of
// milliseconds, or of seconds where that would be before March 1973. A time before there
// was any coding tool, or after this century, is none.
func ParseTime(text string) (t time.Time, ok bool) {
	text = strings.TrimSpace(text)
	err := error(nil)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"} {
		if t, err = time.Parse(layout, text); err == nil {
			break
		}
	}
	if err != nil {
		var n float64
		if n, err = strconv.ParseFloat(text, 64); math.Abs(n) < 1e11 {
			n *= 1000
		}
		t = time.UnixMilli(int64(min(max(n, 0), 1e14)))
	}
	if err != nil || t.Before(earliest) || t.After(latest) {
		return time.Time{}, false
	}
	return t.UTC(), true
}
