// Package claudecode finds and parses the transcripts of Claude Code.
//
// Find groups files by session. Parse reads them line by line: the parser makes drafts of turns of the records, pairs
// calls with results and keeps the tree of the conversation; finish tells which branches were abandoned and puts the
// session together. From one line to the next only what a Session holds is kept.
package claudecode

import (
	"context"
	"fmt"
	"slices"

	"recall/ingest"
)

// KnownVersion is the newest client version that this parser was written for; see ingest.Report.Newer.
const KnownVersion = "2.1.329"

// mainName is the name of a session's conversation among its files.
const mainName = "transcript.jsonl"

// Reader finds and parses Claude Code sessions. Its zero value is ready.
type Reader struct {
	FileHistory bool // find the client's copies of edited files too
	Log         Log  // reads files of ingest.AuditLog as a part of the conversation; nil leaves them
}

// logOf is what reads a file, nil of a transcript.
func (r Reader) logOf(f ingest.File) Log {
	if f.Role == ingest.AuditLog {
		return r.Log
	}
	return nil
}

// conversation are the files that it stands in.
func (r Reader) conversation(f ingest.Found) []ingest.File {
	files := slices.DeleteFunc(slices.Clone(f.Files), func(file ingest.File) bool {
		return file.Role != ingest.Transcript && file.Role != ingest.PromptLog && r.logOf(file) == nil
	})
	if slices.ContainsFunc(files, func(f ingest.File) bool { return f.Role != ingest.PromptLog }) {
		files = slices.DeleteFunc(files, func(f ingest.File) bool { return f.Role == ingest.PromptLog })
	}
	return files
}

var _ ingest.Reader = Reader{}

// Source is ingest.ClaudeCode.
func (Reader) Source() ingest.Source { return ingest.ClaudeCode }

// Parse reads a session's transcripts, then sub-agents' and side files. Of forks it says nothing: see ingest.Own.
func (r Reader) Parse(ctx context.Context, f ingest.Found) (*ingest.Session, error) {
	if err := ingest.CheckID(f.ID); err != nil {
		return nil, err
	}
	s := &ingest.Session{ID: f.ID, Source: f.Source}
	if s.Source == "" {
		s.Source = ingest.ClaudeCode
	}
	files, size := r.conversation(f), int64(0)
	for _, file := range files {
		size += file.Size
	}
	p := newParser(s, size)
	for _, file := range files {
		p.log, p.prompts = r.logOf(file), file.Role == ingest.PromptLog
		had := len(p.drafts)
		if err := p.read(ctx, file); err != nil {
			return nil, fmt.Errorf("parse session %s: %w", f.ID, err)
		}
		if n := len(p.drafts) - had; n > 0 {
			p.meta.spoke = append(p.meta.spoke, fmt.Sprintf("%s (%d)", file.Name, n))
		}
	}
	for _, file := range f.Files {
		if err := p.readSide(ctx, file); err != nil {
			return nil, fmt.Errorf("parse session %s: %w", f.ID, err)
		}
	}
	p.finish()
	if len(files) > 0 && files[0].Role == ingest.PromptLog {
		s.TranscriptMissing, s.Title = true, OnlyPrompts+s.Title
	}
	return s, nil
}

// readSide reads a file beside the transcript. Only a cancelled context is an error: other faults are reported.
func (p *parser) readSide(ctx context.Context, f ingest.File) error {
	switch f.Role {
	case ingest.SubagentFile:
		if err := p.kid(agentOf(f.Name)).read(ctx, f); err != nil {
			if ctx.Err() != nil {
				return err
			}
			p.problem(f.Name, err)
		}
	case ingest.SubagentMeta:
		p.readAgentMeta(f)
	case ingest.ToolResult:
		p.spilled[f.Name] = f
	case ingest.TodoFile:
		p.readTodoFile(f)
	case ingest.PlanFile:
		p.readPlanFile(f)
	}
	return nil
}
