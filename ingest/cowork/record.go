package cowork

import (
	"errors"
	"fmt"
	"slices"
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

// A record is what local_<id>.json says, as far as it is of use. The person's name and mail address, the system prompt
// and the app's settings are never taken out of it.
type record struct {
	session, process, vmProcess string
	cli, cwd                    string
	title, initial, model       string
	space, schedule, kind       string
	failure                     string // why the session could not start
	folders                     []string
	created, active             time.Time
	archived, hostLoop          bool
}

// readRecord reads a record. What stands before an error is returned with it: errHalf if the JSON ends too early.
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
	r.read(c)
	switch err := c.Err(); {
	case errors.Is(err, jsonl.ErrCut):
		return r, errHalf
	case err != nil:
		return r, err
	}
	return r, nil
}

func (r *record) read(c *jsonl.Cursor) {
	c.Fields(jsonl.Fields{
		"sessionId": &r.session, "processName": &r.process, "vmProcessName": &r.vmProcess, "cliSessionId": &r.cli,
		"cwd": &r.cwd, "title": &r.title, "initialMessage": &r.initial, "model": &r.model, "spaceId": &r.space,
		"scheduledTaskId": &r.schedule, "sessionType": &r.kind, "error": &r.failure, "isArchived": &r.archived,
		"hostLoopMode":        &r.hostLoop,
		"createdAt":           func() { r.created = moment(c) },
		"lastActivityAt":      func() { r.active = moment(c) },
		"userSelectedFolders": func() { r.folders = texts(c) },
	})
	r.title = strings.TrimSpace(r.title)
}

// known reports whether there is a field that only records have.
func (r *record) known() bool {
	return r.process+r.cli+r.cwd+r.initial != "" || !r.created.IsZero()
}

// texts reads a list of strings, of objects with a path, or one string.
func texts(c *jsonl.Cursor) []string {
	var list []string
	take := func() {
		switch c.Kind() {
		case '"':
			list = append(list, c.String())
		case '{':
			path := func() { list = append(list, c.Text()) }
			c.Fields(jsonl.Fields{"path": path, "hostPath": path})
		}
	}
	if c.Kind() == '"' {
		take()
	} else {
		c.Array(take)
	}
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

// moment reads a time; one that can't be is zero.
func moment(c *jsonl.Cursor) time.Time {
	t, _ := ingest.ParseTime(c.Text())
	return t
}

// lookAt says why a record can't be used, "" if it can.
func lookAt(f ingest.File) string {
	b, whole, err := f.Head(peekMax)
	if err != nil {
		return ingest.WithoutPath(err).Error()
	}
	r, err := readRecord(b)
	switch {
	case errors.Is(err, errHalf) && !whole:
		return ""
	case err != nil:
		return err.Error()
	case !r.known():
		return "not the record of a Cowork session"
	}
	return ""
}

// openRecord reads a session's record: empty where there is none, or where it can't be read, which rep says.
func openRecord(files []ingest.File, rep *ingest.Report) record {
	f, ok := fileOf(files, ingest.Record)
	if !ok {
		return record{}
	}
	rep.Files++
	b, whole, err := f.Head(recordMax)
	rep.Bytes += int64(len(b))
	if err != nil {
		rep.Skip(ingest.Skip{File: f.Name, Line: 1, Reason: ingest.WithoutPath(err).Error()})
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

const spacesMax = 16 << 20

// spaceName looks a space up in spaces.json, wherever there it stands: it is known by its own id or the key it stands
// under. "" if it isn't there.
func spaceName(files []ingest.File, id string) (name string) {
	f, ok := fileOf(files, SpacesFile)
	if !ok || id == "" {
		return ""
	}
	b, _, _ := f.Head(spacesMax) // the session is as good without the name
	c := jsonl.NewCursor(b)
	var look func(key string)
	look = func(key string) {
		if c.Kind() == '[' {
			c.Array(func() { look("") })
			return
		}
		var own, called string
		c.Object(func(member []byte) {
			switch of := jsonl.Unquote(member); {
			case c.Kind() == '{', c.Kind() == '[':
				look(of)
			case of == "id", of == "uuid", of == "spaceId":
				own = c.Text()
			case of == "name", of == "title":
				called = c.Text()
			}
		})
		if called != "" && (own == id || own == "" && key == id) {
			name = called
		}
	}
	look("")
	return name
}
