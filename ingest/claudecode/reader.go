// Package claudecode finds and parses the transcripts of Claude Code.
//
// Find groups files by session. Parse reads them line by line: the parser turns records into drafts of turns, pairs
// calls with results and keeps the conversation's tree; finish determines which branches were abandoned and builds the
// session. Between lines, only what a Session holds is kept.
package claudecode

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"

	"recall/ingest"
)

// Reader finds and parses Claude Code sessions. Its zero value is ready.
type Reader struct {
	Log Log // reads files of ingest.AuditLog as part of the conversation; nil ignores them
}

// logOf returns what reads a file, nil for a transcript.
func (r Reader) logOf(f ingest.File) Log {
	if f.Role == ingest.AuditLog {
		return r.Log
	}
	return nil
}

// conversation returns the files that make up the conversation.
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

// Parse reads a session's transcripts, then its sub-agents' and side files. It doesn't detect forks: see ingest.Own.
func (r Reader) Parse(ctx context.Context, f ingest.Found) (*ingest.Session, error) {
	if err := ingest.CheckID(f.ID); err != nil {
		return nil, err
	}
	s := &ingest.Session{ID: f.ID, Source: cmp.Or(f.Source, ingest.ClaudeCode)}
	files, p := r.conversation(f), newParser(s)
	for _, file := range files {
		p.log, p.prompts = r.logOf(file), file.Role == ingest.PromptLog
		if err := p.readFile(ctx, file); err != nil {
			return nil, fmt.Errorf("parse session %s: %w", f.ID, err)
		}
	}
	for _, file := range f.Files {
		if err := p.readSide(ctx, file); err != nil {
			return nil, fmt.Errorf("parse session %s: %w", f.ID, err)
		}
	}
	p.finish()
	if len(files) > 0 && files[0].Role == ingest.PromptLog {
		s.Title = OnlyPrompts + s.Title
	}
	s.NameRemnant()
	return s, nil
}

// readSide reads a file beside the transcript. The only error is a cancelled context; others are reported.
func (p *parser) readSide(ctx context.Context, f ingest.File) error {
	switch f.Role {
	case ingest.SubagentFile:
		if err := p.subParser(agentOf(f.Name)).readFile(ctx, f); err != nil {
			if ctx.Err() != nil {
				return err
			}
			p.s.Report.Unread(f, err)
		}
	case ingest.SubagentMeta:
		p.readAgentMeta(f)
	case ingest.ToolResult:
		p.spilled[path.Base(f.Name)] = f
	}
	return nil
}
