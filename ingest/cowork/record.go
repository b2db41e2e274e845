package cowork

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"recall/ingest"
	"recall/ingest/jsonl"
)

const (
	recordMax = 64 << 20  // of a record, this much is read
	peekMax   = 256 << 10 // and this much to tell whether it is one
)

// errHalf says that a record was caught while it was being written.
var errHalf = errors.New("half-written; will be read again later")

// A record is what local_<id>.json says of a session, as far as it is of use.
// The person's name and mail address, the system prompt and the app's settings
// are never taken out of it.
type record struct {
	session, process, vmProcess string
	cli, cwd                    string
	title, initial, model       string
	space, schedule, kind       string
	failure                     string // why the session could not start
	folders                     []string
	created, active             time.Time
	archived, hostLoop          bool
	known                       int // fields that only records have
}

// readRecord reads a record from its JSON. What stands before an error is
// returned with it: errHalf if the JSON ends too early.
func readRecord(b []byte) (record, error) {
	var r record
	b = []byte(strings.TrimPrefix(string(b), "\ufeff"))
	c := jsonl.NewCursor(b)
	if c.Kind() != '{' {
		if len(strings.Trim(string(b), " \t\r\n\x00")) == 0 {
			return r, errHalf
		}
		return r, errors.New("not a JSON object")
	}
	c.Object(func(name []byte) { r.member(c, string(name)) })
	switch err := c.Err(); {
	case errors.Is(err, jsonl.ErrCut):
		return r, errHalf
	case err != nil:
		return r, err
	}
	return r, nil
}

func (r *record) member(c *jsonl.Cursor, name string) {
	switch name {
	case "sessionId":
		r.session = text(c)
	case "processName":
		r.known++
		r.process = text(c)
	case "vmProcessName":
		r.vmProcess = text(c)
	case "cliSessionId":
		r.known++
		r.cli = text(c)
	case "cwd":
		r.known++
		r.cwd = text(c)
	case "title":
		r.title = strings.TrimSpace(text(c))
	case "initialMessage":
		r.known++
		r.initial = text(c)
	case "model":
		r.model = text(c)
	case "spaceId":
		r.space = text(c)
	case "scheduledTaskId":
		r.schedule = text(c)
	case "sessionType":
		r.kind = text(c)
	case "error":
		r.failure = text(c)
	case "createdAt":
		r.known++
		r.created = moment(c)
	case "lastActivityAt":
		r.active = moment(c)
	case "isArchived":
		r.archived = truth(c)
	case "hostLoopMode":
		r.hostLoop = truth(c)
	case "userSelectedFolders":
		r.folders = texts(c)
	}
}

// text reads a string; "" for anything else.
func text(c *jsonl.Cursor) string {
	if c.Kind() != '"' {
		c.Skip()
		return ""
	}
	return c.String()
}

// truth reads true, 1 or "true".
func truth(c *jsonl.Cursor) bool {
	v := c.Text()
	return v == "true" || v == "1"
}

// texts reads a list of strings, of objects with a path, or one string.
func texts(c *jsonl.Cursor) []string {
	var list []string
	take := func() {
		switch c.Kind() {
		case '"':
			list = append(list, c.String())
		case '{':
			c.Object(func(name []byte) {
				if n := string(name); n == "path" || n == "hostPath" {
					list = append(list, text(c))
				}
			})
		}
	}
	if c.Kind() == '"' {
		take()
	} else {
		c.Array(take)
	}
	kept := list[:0]
	for _, s := range list {
		if s != "" {
			kept = append(kept, s)
		}
	}
	return kept
}

// moment reads a time: milliseconds since 1970 as number or text, seconds if
// they are too few for that, or RFC 3339. Times that can't be are zero.
func moment(c *jsonl.Cursor) time.Time {
	v := strings.TrimSpace(c.Text())
	if n, err := strconv.ParseFloat(v, 64); err == nil {
		if math.Abs(n) < 1e11 { // milliseconds would be of before March 1973
			n *= 1000
		}
		if math.IsNaN(n) || n < 0 || n > 1e14 {
			return time.Time{}
		}
		return sane(time.UnixMilli(int64(n)))
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"} {
		if t, err := time.Parse(layout, v); err == nil {
			return sane(t)
		}
	}
	return time.Time{}
}

// sane is t in UTC, or zero where no Cowork session can be from.
func sane(t time.Time) time.Time {
	if y := t.Year(); y < 2020 || y > 2200 {
		return time.Time{}
	}
	return t.UTC()
}

// lookAt says why a record can't be used, "" if it can.
func lookAt(f ingest.File) string {
	b, whole, err := head(f, peekMax)
	if err != nil {
		return reason(err).Error()
	}
	r, err := readRecord(b)
	switch {
	case errors.Is(err, errHalf) && !whole:
		return ""
	case err != nil:
		return err.Error()
	case r.known == 0:
		return "not the record of a Cowork session"
	}
	return ""
}

// head reads at most limit bytes of a file and reports whether that is all.
func head(f ingest.File, limit int64) (b []byte, whole bool, err error) {
	in, err := f.Open()
	if err != nil {
		return nil, false, err
	}
	defer in.Close()
	b, err = io.ReadAll(io.LimitReader(in, limit+1))
	if int64(len(b)) > limit {
		return b[:limit], false, err
	}
	return b, true, err
}

// openRecord reads a session's record. Without one, or with one that can't be
// read, the record is empty; the latter is reported in rep.
func openRecord(files []ingest.File, rep *ingest.Report) record {
	f, ok := fileOf(files, ingest.Record)
	if !ok {
		return record{}
	}
	rep.Files++
	b, whole, err := head(f, recordMax)
	rep.Bytes += int64(len(b))
	if err != nil {
		rep.Skip(ingest.Skip{File: f.Name, Line: 1, Reason: reason(err).Error()})
		return record{}
	}
	r, err := readRecord(b)
	switch {
	case errors.Is(err, errHalf) && whole:
		rep.Tail = &ingest.Skip{File: f.Name, Line: 1, Reason: "record " + errHalf.Error()}
	case err != nil:
		rep.Skip(ingest.Skip{File: f.Name, Line: 1, Reason: fmt.Sprintf("record unusable: %v", err)})
	}
	return r
}
