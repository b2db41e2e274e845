package cowork

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"recall/ingest"
	"recall/ingest/claudecode"
)

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
	s, err := claudecode.Reader{Log: log.readEntry}.Parse(ctx, ingest.Found{ID: f.ID, Source: ingest.Cowork, Root: f.Root,
		Files: []ingest.File{file}})
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
