package cowork

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/ingest/jsonl"
)

const recordMax = 64 << 20 // how much of a record is read

// errHalf means that a record was read while it was being written.
var errHalf = errors.New("half-written; will be read again later")

// A record is the useful part of local_<id>.json. The person's name and mail address, the system prompt and the app's
// settings are never read.
type record struct {
	session, process, vmProcess string
	cli, cwd                    string
	title, initial, model       string
	space, schedule, kind       string
	folders                     []string
	created, active             time.Time
	hostLoop                    bool
}

// readRecord reads a record. What precedes an error is returned with it: errHalf if the JSON ends too early.
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
	c.Fields(jsonl.Fields{
		"sessionId": &r.session, "processName": &r.process, "vmProcessName": &r.vmProcess, "cliSessionId": &r.cli,
		"cwd": &r.cwd, "title": &r.title, "initialMessage": &r.initial, "model": &r.model, "spaceId": &r.space,
		"scheduledTaskId": &r.schedule, "sessionType": &r.kind, "hostLoopMode": &r.hostLoop,
		"createdAt":           func() { r.created = readTime(c) },
		"lastActivityAt":      func() { r.active = readTime(c) },
		"userSelectedFolders": func() { r.folders = texts(c) },
	})
	r.title = strings.TrimSpace(r.title)
	switch err := c.Err(); {
	case errors.Is(err, jsonl.ErrCut):
		return r, errHalf
	case err != nil:
		return r, err
	}
	return r, nil
}

// texts reads a list of strings or of objects with a path, or a single string.
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

// readTime reads a time; zero if it is invalid.
func readTime(c *jsonl.Cursor) time.Time {
	t, _ := ingest.ParseTime(c.Text())
	return t
}

// whyUnusable returns why a record can't be used, "" if it can.
func whyUnusable(f ingest.File) string {
	b, _, err := f.Head(recordMax)
	if err != nil {
		return ingest.WithoutPath(err).Error()
	}
	r, err := readRecord(b)
	switch {
	case err != nil:
		return err.Error()
	case r.process+r.cli+r.cwd+r.initial == "" && r.created.IsZero(): // none of the fields that only records have
		return "not the record of a Cowork session"
	}
	return ""
}

// openRecord reads a session's record; empty if there is none, or if it can't be read, which rep then says.
func openRecord(files []ingest.File, rep *ingest.Report) record {
	f, ok := fileOf(files, ingest.Record)
	if !ok {
		return record{}
	}
	b, whole, err := f.Head(recordMax)
	if err != nil {
		rep.Unread(f, err)
		return record{}
	}
	r, err := readRecord(b)
	switch {
	case errors.Is(err, errHalf) && whole:
		rep.Tail = true
	case err != nil:
		rep.Unread(f, fmt.Errorf("record unusable: %w", err))
	}
	return r
}

const spacesMax = 16 << 20

// spaceName finds a space's name anywhere in spaces.json, where it is identified by its own id or the key it is under.
// "" if it isn't there.
func spaceName(files []ingest.File, id string) (name string) {
	f, ok := fileOf(files, SpacesFile)
	if !ok || id == "" {
		return ""
	}
	b, _, _ := f.Head(spacesMax) // the name is optional
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

// overlay applies a session's record and the files beside it.
func overlay(s *ingest.Session, rec record, files []ingest.File) {
	overlayIDs(s, rec)
	s.Title = cmp.Or(rec.title, s.Title, ingest.TitleOf(claudecode.Classify(rec.initial).Text))
	if !rec.created.IsZero() {
		s.Start = rec.created
	}
	if rec.active.After(s.End) {
		s.End = rec.active
	}
	if s.End.Before(s.Start) {
		s.End = s.Start
	}
	if rec.model != "" && len(s.Models) == 0 {
		s.Models = []string{rec.model}
	}
	s.Opened = firstPrompt(s, rec.initial)
	s.Helper = s.Helper || isHelper(s, rec)
	overlayPlace(s, rec, files)
}

// overlayIDs collects the session's other ids. Its own is its record's file name, whatever the record says.
func overlayIDs(s *ingest.Session, rec record) {
	all := append(s.Aliases, ingest.SessionID(rec.cli), ingest.SessionID(rec.session))
	s.Aliases = slices.DeleteFunc(ingest.Union(nil, all...), func(id ingest.SessionID) bool { return id == s.ID })
	own := func(id ingest.SessionID) bool { return id == s.ID || slices.Contains(s.Aliases, id) }
	if s.Parent != nil && own(s.Parent.Session) { // an earlier part of itself
		s.Parent = nil
	}
	if own(s.ContinuedIn) {
		s.ContinuedIn = ""
	}
}

// firstPrompt returns the prompt that the record gives as the first, "" if it isn't there.
func firstPrompt(s *ingest.Session, initial string) ingest.TurnID {
	initial = ingest.TitleOf(claudecode.Classify(initial).Text)
	for i := range s.Turns {
		if t := &s.Turns[i]; t.Kind == ingest.Prompt && initial != "" && ingest.TitleOf(t.OwnText()) == initial {
			return t.ID
		}
	}
	return ""
}

// isHelper reports whether no person was involved: the app's own helpers, and scheduled runs without prompts.
func isHelper(s *ingest.Session, rec record) bool {
	if rec.kind == "dispatch_child" || rec.kind == "radar" {
		return true
	}
	scheduled := rec.schedule != ""
	for i := range s.Turns {
		switch t := &s.Turns[i]; {
		case t.Kind == ingest.Prompt || t.Kind == ingest.Command:
			return false
		case t.Kind == ingest.Event && t.Name == "scheduled-task":
			scheduled = true
		}
	}
	return scheduled && len(s.Turns) > 0
}

// overlayPlace records where the session worked, and maps its virtual machine's paths to the host's.
func overlayPlace(s *ingest.Session, rec record, files []ingest.File) {
	w := &s.Where
	w.Folders, w.Space, w.Process = rec.folders, spaceName(files, rec.space), cmp.Or(rec.process, rec.vmProcess)
	w.Storage = storageOf(files, rec)
	s.Uploads = fileRefs(files, ingest.UploadFile, "uploads/")
	s.Outputs = fileRefs(files, ingest.OutputFile, "outputs/")
	mounts := NewMounts([]string{rec.process, rec.vmProcess}, w.Storage, rec.folders)
	for _, c := range ingest.EachCall(s.Turns) {
		if c.Name == "mcp__cowork__request_cowork_directory" && !c.Failed {
			w.Folders = ingest.Union(w.Folders, mounts.Grants(c.Result)...)
		}
	}
	mapPaths(s.Turns, mounts)
	for i := range s.Subagents {
		mapPaths(s.Subagents[i].Turns, mounts)
	}
}

func mapPaths(turns []ingest.Turn, m Mounts) {
	for _, c := range ingest.EachCall(turns) {
		if host, ok := m.Host(c.Path); ok {
			c.HostPath = host
		}
	}
}

// storageOf returns the storage folder on the host: where files were found, else what the record says in host-loop
// mode, or "".
func storageOf(files []ingest.File, rec record) string {
	for _, f := range files {
		switch {
		case f.Path == "":
		case f.Role == ingest.Record:
			return strings.TrimSuffix(f.Path, ".json")
		case f.Role == ingest.AuditLog:
			return filepath.Dir(f.Path)
		}
	}
	if rec.hostLoop {
		if name := ingest.LastName(rec.cwd); name == "outputs" {
			return strings.TrimRight(strings.TrimSuffix(strings.TrimRight(rec.cwd, `/\`), name), `/\`)
		}
	}
	return ""
}

func fileRefs(files []ingest.File, role ingest.FileRole, prefix string) []ingest.FileRef {
	var list []ingest.FileRef
	for _, f := range files {
		if f.Role == role {
			list = append(list, ingest.FileRef{Name: strings.TrimPrefix(f.Name, prefix), Path: f.Path})
		}
	}
	return list
}
