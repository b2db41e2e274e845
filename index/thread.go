package index

import (
	"context"
	"database/sql"
	"encoding/json"

	fastjson "github.com/go-json-experiment/json"

	"recall/ingest"
	"recall/payload"
)

// ThreadEntry is what a session's thread is found by (see payload.Threads), so that not every payload of a project
// has to be read.
type ThreadEntry struct {
	payload.ThreadInfo
	Stamp string `json:"-"` // Doc.Stamp
}

func threadedOf(s *ingest.Session, p *payload.Payload, project string) ThreadEntry {
	var t ThreadEntry
	if p != nil {
		t.ThreadInfo = payload.InfoOf(p)
	} else {
		t.Branch, t.Start, t.End = s.Where.Branch, s.Start, s.End
	}
	t.Session, t.Project, t.PlanFiles = string(s.ID), project, s.PlanFiles
	if s.Parent != nil {
		t.Parent = string(s.Parent.Session)
	}
	return t
}

func threadRow(t ThreadEntry) ([]byte, error) {
	data, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	return pack(string(data)), nil
}

// ThreadsIn lists a project's sessions by start, and handoffs, but not what others share.
func (x *Index) ThreadsIn(ctx context.Context, project string) ([]ThreadEntry, error) {
	return readList(ctx, x, func(rows *sql.Rows) (t ThreadEntry, err error) {
		var sid, source, text, stamp string
		if err = rows.Scan(&sid, &source, packed{&text}, &stamp); err == nil {
			err = fastjson.Unmarshal([]byte(text), &t)
		}
		t.Session, t.Project, t.Stamp = sid, project, stamp
		if source == string(ingest.Cowork) && project != ingest.NoProject {
			t.Folder = project
		}
		return t, err
	}, `SELECT sid, source, thread, ifnull(stamp, '') FROM session t LEFT JOIN stamp USING (sid)
		WHERE project=? AND NOT `+isShared+` ORDER BY start, sid`, project)
}
