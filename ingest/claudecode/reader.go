// Package claudecode finds and parses the transcripts of Claude Code.
//
// Find groups files by session. Parse reads them line by line: the parser turns records into drafts of turns, pairs
// calls with results and keeps the conversation's tree; finish determines which branches were abandoned and builds the
// session. Between lines, only what a Session holds is kept.
package claudecode

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"recall/ingest"
	"recall/ingest/jsonl"
	"recall/internal/text"
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

// Started returns the time of a transcript's first turn, zero if it has none.
func Started(f ingest.File) time.Time {
	// Parsing the session will report errors.
	head, _ := ingest.HeadOf(context.Background(), Reader{}, ingest.Found{ID: "x", Files: []ingest.File{f}})
	return head.Started
}

// peeked is what a file's beginning says about it.
type peeked struct {
	ours      bool // lines of Claude Code
	sidechain bool
	session   string
	agent     string
	cwd       string
}

const peekBytes = 256 << 10

func peek(path string) (peeked, error) {
	var h peeked
	file, err := os.Open(path)
	if err != nil {
		return h, err
	}
	defer file.Close()
	lines := jsonl.NewLines(io.LimitReader(file, peekBytes))
	r := newRecordReader()
	for range 200 {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return h, err
		}
		if !r.readRecord(jsonl.NewCursor(line.Bytes)) && !r.looksOurs() {
			continue
		}
		if len(r.auditAt) > 0 {
			return peeked{}, nil
		}
		h.ours = h.ours || r.looksOurs()
		if h.session == "" {
			h.session = jsonl.Unquote(r.session)
		}
		if len(r.uuid) > 0 && (string(r.kind) == "user" || string(r.kind) == "assistant") {
			h.sidechain, h.agent, h.cwd = r.sidechain, jsonl.Unquote(r.agent), jsonl.Unquote(r.cwd)
			return h, nil
		}
	}
	return h, nil
}

// looksOurs reports whether a record is one that Claude Code writes.
func (r *record) looksOurs() bool {
	switch string(r.kind) {
	case "user", "assistant":
		return len(r.msg.blocks) > 0 || r.msg.plain != nil
	case "system", "attachment", "progress":
		return len(r.uuid) > 0
	case "summary":
		return len(r.title) > 0
	case "":
		return false
	}
	return len(r.session) > 0 || string(r.kind) == "file-history-snapshot"
}

// What is read of a transcript's beginning and end, in bytes.
const (
	headMost = 64 << 10
	tailMost = 512 << 10
)

// ContextOf returns how many tokens a transcript's conversation holds according to the service's last answer; 0 if
// there is none since a compaction.
func ContextOf(transcript string) int {
	tail := []byte(ingest.ReadEnd(transcript, tailMost))
	for r := newRecordReader(); len(tail) > 0; {
		line := tail[bytes.LastIndexByte(bytes.TrimRight(tail, "\n"), '\n')+1:]
		tail = tail[:len(tail)-len(line)]
		tells := bytes.Contains(line, []byte(`"usage"`)) || bytes.Contains(line, []byte(`"compact_boundary"`))
		if !tells || !r.readRecord(jsonl.NewCursor(line)) {
			continue
		}
		switch u := r.msg.usage; {
		case string(r.subtype) == "compact_boundary":
			return 0
		case string(r.kind) == "assistant" && !r.sidechain && r.msg.hasUsage:
			return int(u.Input + u.CacheRead + u.CacheWrite + u.Output)
		}
	}
	return 0
}

// ForkOf returns the session whose lines a transcript begins with, "" if it is no copy.
func ForkOf(transcript string) string {
	_, after, _ := strings.Cut(ingest.ReadStart(transcript, headMost), `"forkedFrom":{"sessionId":"`)
	id, _, _ := strings.Cut(after, `"`)
	return id
}

var _ ingest.Layout = Reader{}

// Cut implements ingest.Layout: a session is in projects/<slug of dir>, below the configuration folder.
func (r Reader) Cut(f ingest.Found, dir string) (ingest.Cut, error) {
	if files := r.conversation(f); len(files) > 0 && files[0].Role == ingest.PromptLog {
		return nil, fmt.Errorf("session %s: only its prompts are left: %w", f.ID, ingest.ErrNoPlace)
	}
	slug, stem, base := Slug(dir), string(f.ID), ""
	for _, file := range f.Files {
		was, above, ok := inProjects(file)
		if base = cmp.Or(base, above); ok && file.Name == ingest.MainName {
			slug = cmp.Or(slug, was)
			stem = strings.TrimSuffix(path.Base(ingest.SlashPath(file.Path)), ".jsonl")
		}
	}
	if len(slug) > maxSlug && dir != "" {
		return nil, fmt.Errorf("session %s: the folder for %s isn't known, as its name is too long: %w", f.ID, dir,
			ingest.ErrNoPlace)
	}
	if slug == "" {
		return nil, fmt.Errorf("session %s: the folder that it worked in isn't known: %w", f.ID, ingest.ErrNoPlace)
	}
	return func(file ingest.File) (string, string) { return base, placeOf(file, slug, stem, base) }, nil
}

// placeOf returns the client's path for a file, below its configuration folder.
func placeOf(file ingest.File, slug, stem, base string) string {
	first, rest, nested := strings.Cut(file.Name, "/")
	switch {
	case file.Name == ingest.MainName:
		return path.Join("projects", slug, stem+".jsonl")
	case file.Role == ingest.Transcript: // left by a worktree in another slug
		if was, _, ok := inProjects(file); ok {
			slug = was
		}
		return path.Join("projects", slug, stem+".jsonl")
	case !nested:
		return path.Join("projects", slug, stem, file.Name)
	case first == "tasks":
		return path.Join(first, stem, rest)
	}
	// A folder unknown to this version: where it was, if that is known.
	if was, ok := strings.CutPrefix(ingest.SlashPath(file.Path), base+"/"); ok && base != "" &&
		!strings.HasPrefix(was, "projects/") {
		return was
	}
	return path.Join("projects", slug, stem, file.Name)
}

// inProjects splits <base>/projects/<slug>/x.jsonl into slug and configuration folder.
func inProjects(file ingest.File) (slug, base string, ok bool) {
	if file.Role != ingest.Transcript {
		return "", "", false
	}
	dir := path.Dir(ingest.SlashPath(file.Path))
	projects := path.Dir(dir)
	if path.Base(projects) != "projects" {
		return "", "", false
	}
	return path.Base(dir), path.Dir(projects), true
}

// Slug returns the client's folder name for a directory's sessions: each UTF-16 unit that isn't an ASCII letter or
// digit becomes a dash. Beyond maxSlug the client truncates it and adds a hash that differs between builds and can't be
// computed here. "" gives "".
func Slug(dir string) string {
	var b strings.Builder
	for _, r := range dir {
		if text.Alnum(r) {
			b.WriteRune(r)
			continue
		}
		for range utf16.RuneLen(r) {
			b.WriteByte('-')
		}
	}
	return b.String()
}

const maxSlug = 200
