package cowork

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/ingest/claudecode"
)

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
	s.Archived, s.Opened = rec.archived, firstPrompt(s, rec.initial)
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
	s.Uploads, s.Outputs = fileRefs(files, ingest.UploadFile, "uploads/"), fileRefs(files, ingest.OutputFile, "outputs/")
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
