package index

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	fastjson "github.com/go-json-experiment/json"

	"recall/ingest"
	"recall/payload"
)

// Threaded is a session as its thread is found by (see payload.Threads), so
// that nobody has to read every payload of a project for it.
type Threaded struct {
	payload.ThreadInfo
	Distiller string // that made its payload, "" if there is none
	Number    int    // place by start time in its project, from 1
	Stamp     string `json:"-"` // Doc.Stamp
}

func threadedOf(s *ingest.Session, p *payload.Payload, project string) Threaded {
	var t Threaded
	if p != nil {
		t.ThreadInfo, t.Distiller = payload.InfoOf(p), p.Made.Distiller
	} else {
		t.Branch, t.Start, t.End = s.Where.Branch, s.Start, s.End
	}
	t.Session, t.Project, t.PlanFiles = string(s.ID), project, s.PlanFiles
	if s.Parent != nil {
		t.Parent = string(s.Parent.Session)
	}
	return t
}

func threadRow(t Threaded) ([]byte, error) {
	data, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	return pack(string(data)), nil
}

// ThreadsIn lists a project's sessions by start, each with what finds its
// thread. What was handed over by others is none.
func (x *Index) ThreadsIn(ctx context.Context, project string) ([]Threaded, error) {
	n := 0
	return readList(ctx, x, func(rows *sql.Rows) (t Threaded, err error) {
		var sid, stamp string
		var data sql.RawBytes
		if err = rows.Scan(&sid, &data, &stamp); err != nil {
			return t, err
		}
		text, err := unpack(data)
		if err == nil {
			err = fastjson.Unmarshal([]byte(text), &t)
		}
		n++
		t.Session, t.Project, t.Number, t.Stamp = sid, project, n, stamp
		return t, err
	}, `SELECT sid, thread, ifnull(stamp, '') FROM session LEFT JOIN stamp USING (sid)
		WHERE project=? AND source<>'`+Handed+`' ORDER BY start, sid`, project)
}

// said is another number when a session's items are others.
func (r *rows) said() (sum int64) {
	for _, it := range r.docs[items] {
		sum += it.hash & 0xffffffff
	}
	return sum
}

// ProjectMark changes when a project gets or loses a session, what one of its
// sessions says changes, or how items bear on one another. It costs next to
// nothing.
func (x *Index) ProjectMark(ctx context.Context, project string) (string, error) {
	var n, last, said, links int64
	err := x.db.QueryRowContext(ctx,
		`SELECT count(*), ifnull(max(start),0), ifnull(sum(said),0), (SELECT count(*) FROM link)
		FROM session WHERE project=?`, project).
		Scan(&n, &last, &said, &links)
	if err != nil {
		return "", x.fail("read index", err)
	}
	return fmt.Sprintf("%d %d %x %d", n, last, said, links), nil
}
