// Package cowork finds and reads the sessions of Claude Cowork, the agent mode of the Claude desktop app. Each is a
// record (title, dates, folders), a storage folder with one or more Claude Code transcripts, and an audit log of what
// the app saw. Any of them can be missing; together they make one ingest.Session.
//
// On disk, below a root:
//
//	<account>/<organisation>/local_<id>.json        the record
//	<account>/<organisation>/local_<id>/            the storage folder
//	    .claude/projects/<slug>/<cliSessionId>.jsonl    a transcript
//	    audit.jsonl  uploads/  outputs/
//	<account>/<organisation>/agent/local_….json     the same, for the app's own agents
//	<account>/<organisation>/spaces.json            names of the account's spaces
//
// A session's files are named as follows, also in the library: "record.json", "spaces.json", "audit.jsonl",
// "transcripts/<cliSessionId>.jsonl", "<cliSessionId>/subagents/…", "<cliSessionId>/tool-results/…", "tasks/…",
// "uploads/…", "outputs/…".
package cowork

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"recall/ingest"
	"recall/ingest/claudecode"
)

// Reader reads Cowork sessions. Its zero value is ready for use.
type Reader struct{}

var _ ingest.Reader = Reader{}

// Source is ingest.Cowork.
func (Reader) Source() ingest.Source { return ingest.Cowork }

// Roots lists this system's "local-agent-mode-sessions" folders.
func (Reader) Roots() []string {
	var list []string
	for _, data := range AppData() {
		list = append(list, filepath.Join(data, sessionsFolder))
	}
	return ingest.Folders(list) // each once: the Windows Store app sees its data under %APPDATA% too
}

// Find lists the sessions under a root, an account's folder, a storage folder, a single record or a folder above them.
func (Reader) Find(ctx context.Context, path string, seen ingest.Seen) ([]ingest.Found, []ingest.Problem) {
	f := finder{Search: ingest.Search{Context: ctx, Seen: seen, Root: path}}
	f.find(path)
	return f.found, f.Problems
}

var _ ingest.Layout = Reader{}

// Cut implements ingest.Layout: a root is above account, organisation and, for the app's own agents, "agent".
func (Reader) Cut(f ingest.Found, _ string) (ingest.Cut, error) {
	return ingest.CutAt(func(file ingest.File, parts []string) int {
		id := string(f.ID)
		at := slices.IndexFunc(parts, func(p string) bool { return p == id || p == id+".json" })
		if file.Role == SpacesFile { // <account>/<organisation>/spaces.json
			at = len(parts) - 1
		}
		if at > 0 && parts[at-1] == "agent" {
			at--
		}
		return at - 2
	}), nil
}

// sessionsFolder is the name of a root in the app's data folder.
const sessionsFolder = "local-agent-mode-sessions"

// AppData lists where the desktop app could keep its data and configuration on this system, existing or not.
func AppData() []string {
	local := ""
	if runtime.GOOS == "windows" {
		local = os.Getenv("LOCALAPPDATA")
	}
	usual, _ := os.UserConfigDir() // without one there are fewer places
	return slices.Concat(storeFolders(local), appFolders(usual), appFolders(local))
}

// appFolders returns the app's folders in a parent, including that of its third-party inference mode ("Claude-3p").
func appFolders(parent string) []string {
	if parent == "" {
		return nil
	}
	return []string{filepath.Join(parent, "Claude"), filepath.Join(parent, "Claude-3p")}
}

// storeFolders returns those of the Windows Store app. Its package's name ends in a publisher id, which could change.
func storeFolders(local string) (list []string) {
	if local != "" {
		dirs, _ := filepath.Glob(filepath.Join(local, "Packages", "Claude_*", "LocalCache", "Roaming"))
		for _, dir := range dirs {
			list = append(list, appFolders(dir)...)
		}
	}
	return list
}

// Parse reads the transcripts as one conversation, then adds the audit log and the record. A half-written record is
// used as far as it goes.
func (Reader) Parse(ctx context.Context, f ingest.Found) (*ingest.Session, error) {
	if err := ingest.CheckID(f.ID); err != nil {
		return nil, err
	}
	var own ingest.Report
	rec := openRecord(f.Files, &own)
	files := inOrder(f.Files, rec.cli)
	s, err := parseTranscripts(ctx, f, files)
	if err != nil {
		return nil, err
	}
	log, heard, err := parseAudit(ctx, f)
	if err != nil {
		return nil, err
	}
	switch {
	case log == nil:
	case len(s.Turns) == 0 && len(heard.Turns) > 0:
		s.Report.AddReport(heard.Report)
		heard.Report = s.Report
		if log.before.AddUsage(log.now); log.before != (ingest.Usage{}) {
			heard.Usage = log.before // the lines' own counts aren't final
		}
		s = heard
		addAliases(s, log)
	default:
		addAliases(s, log)
		ingest.Unite(s, heard, sameTime)
		s.Report.AddReport(heard.Report)
	}
	if log != nil {
		addAppEvents(s, log)
	}
	s.ID, s.Source = f.ID, ingest.Cowork
	own.AddReport(s.Report)
	s.Report = own
	overlay(s, rec, f.Files)
	for i := range s.Turns {
		s.Turns[i].N = i + 1
	}
	return s, nil
}

// parseTranscripts reads all transcripts as one conversation, repeated lines once; without any, the session is empty.
func parseTranscripts(ctx context.Context, f ingest.Found, files []ingest.File) (*ingest.Session, error) {
	if len(files) == 0 {
		return &ingest.Session{ID: f.ID, Source: ingest.Cowork}, nil
	}
	own := f
	own.ID = ingest.SessionID(stem(files[len(files)-1].Name))
	if ingest.CheckID(own.ID) != nil {
		own.ID = f.ID
	}
	own.Files = slices.Clone(files)
	for _, file := range f.Files {
		switch file.Role {
		case ingest.ToolResult, ingest.SubagentFile, ingest.SubagentMeta:
			own.Files = append(own.Files, file)
		}
	}
	s, err := claudecode.Reader{}.Parse(ctx, own)
	if err != nil {
		return nil, fmt.Errorf("cowork session %s: %w", f.ID, err)
	}
	for _, file := range files {
		if id := ingest.SessionID(stem(file.Name)); id != own.ID {
			s.Aliases = ingest.Union(s.Aliases, id)
		}
	}
	s.Aliases = append(s.Aliases, own.ID)
	return s, nil
}

// stem returns the cliSessionId that a transcript is named after.
func stem(name string) string {
	s := strings.TrimSuffix(path.Base(name), ".jsonl")
	if k := strings.IndexByte(s, '.'); k > 0 {
		s = s[:k] // the slug was added, see lister.transcripts
	}
	return s
}

// parseAudit reads the audit log into a separate session, which reports its errors; nil if there is none.
func parseAudit(ctx context.Context, f ingest.Found) (*auditLog, *ingest.Session, error) {
	file, ok := fileOf(f.Files, ingest.AuditLog)
	if !ok {
		return nil, nil, nil
	}
	log := &auditLog{name: file.Name, prompts: map[string]said{}, copies: map[string][]said{}}
	s, err := claudecode.Reader{Log: log.readEntry}.Parse(ctx, ingest.Found{ID: f.ID, Source: ingest.Cowork,
		Root: f.Root, Files: []ingest.File{file}})
	if err != nil {
		return nil, nil, fmt.Errorf("cowork session %s: %w", f.ID, err)
	}
	markAudit(s, log)
	return log, s, nil
}

// markAudit adds the turns' other ids, and what of the log isn't known.
func markAudit(s *ingest.Session, log *auditLog) {
	for i := range s.Turns {
		t := &s.Turns[i]
		for _, copy := range log.copies[string(t.ID)] {
			if copy.uuid != "" && !slices.Contains(t.Records, copy.uuid) {
				t.Records = append(t.Records, copy.uuid)
				t.Keys = append(t.Keys, "u:"+copy.uuid)
			}
			if len(t.Uploads) == 0 {
				t.Uploads = copy.uploads
			}
		}
	}
	s.Parent = nil
	s.Report.AddReport(log.report)
}

// addAliases adds the ids that only the log knows.
func addAliases(s *ingest.Session, log *auditLog) {
	for _, id := range log.sessions {
		s.Aliases = ingest.Union(s.Aliases, ingest.SessionID(id))
	}
}

// inOrder returns the transcripts by their own times, oldest first, but the current one last.
func inOrder(files []ingest.File, current string) []ingest.File {
	list := ingest.Found{Files: files}.FilesOf(ingest.Transcript)
	slices.SortStableFunc(list, func(a, b ingest.File) int {
		if last := stem(a.Name) == current; last != (stem(b.Name) == current) {
			return map[bool]int{true: 1, false: -1}[last]
		}
		return claudecode.Started(a).Compare(claudecode.Started(b))
	})
	return list
}
