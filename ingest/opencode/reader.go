// Package opencode finds and reads the sessions of OpenCode.
//
// It keeps all of them in one SQLite database, $XDG_DATA_HOME/opencode/opencode.db (~/.local/share/opencode, on every
// system; opencode-<channel>.db for other release channels; OPENCODE_DB names another with that extension):
//
//	session(id, parent_id, directory, title, version, revert, time_archived, …)   one with a parent is a sub-agent's
//	message(id, session_id, time_created, time_updated, data)                     role, model, tokens, cost, error
//	part(id, message_id, session_id, time_created, time_updated, data)            text, reasoning, tool, …
//	todo(session_id, content, status, position, …), and others with a session_id
//	session_v2(…, fork_session_id), session_message(id, session_id, type, …, data)   in their place since version 2
//
// A session's files are made from its rows, one line each, as they are stored: "transcript.jsonl" from its messages
// with their parts, "subagents/<session>.jsonl" from its sub-agents', and "record.jsonl" from all other rows. At their
// source their paths extend the database's: <session>.jsonl and <session>.record. A line is an object with the table's
// name, the columns in order, and last "data" verbatim, which the client writes as JSON; a row in which it isn't JSON
// isn't JSON either, and is reported. So no byte is lost, and the length of a line is known without reading it.
//
// The tables, columns and kinds of parts, and the client's wordings of refusals, are taken from its public source
// (github.com/anomalyco/opencode, packages/opencode/src: session/session.sql.ts, message-v2.ts, revert.ts and
// compaction.ts, storage/db.ts and json-migration.ts, permission/next.ts, question/index.ts, tool/task.ts, question.ts
// and plan.ts; of version 2 packages/schema/src/session-message.ts, packages/core/src: session/to-session-error.ts,
// session/runner/step.ts and tool/plugin). That forks keep the times of what they copy is unconfirmed.
package opencode

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
)

// The names of a session's files, and of its database.
const (
	recordName      = "record.jsonl"
	dataName, dbExt = "opencode.db", ".db"
)

// Reader finds and parses OpenCode's sessions. Its zero value is ready.
type Reader struct{}

var (
	_ ingest.Reader = Reader{}
	_ ingest.Layout = Reader{}
)

func init() {
	holds := func(path string) bool { return filepath.Ext(path) == dbExt }
	ingest.Holders = append(ingest.Holders, ingest.Holder{Holds: holds, Now: fileNow})
}

// Source is ingest.OpenCode.
func (Reader) Source() ingest.Source { return ingest.OpenCode }

// Roots lists OpenCode's own folders that exist.
func (Reader) Roots() []string {
	var named []string
	if data := os.Getenv("XDG_DATA_HOME"); data != "" {
		named = append(named, filepath.Join(data, "opencode"))
	}
	if path := os.Getenv("OPENCODE_DB"); filepath.IsAbs(path) {
		named = append(named, filepath.Dir(path))
	}
	return ingest.HomeFolders(named, filepath.FromSlash(ingest.OpenCode.Client().Home))
}

// Parse reads a session's record, then its conversation, then its sub-agents'.
func (Reader) Parse(ctx context.Context, f ingest.Found) (*ingest.Session, error) {
	s := &ingest.Session{ID: f.ID, Source: ingest.OpenCode}
	p := &parser{s: s, own: string(f.ID), sessions: map[string]row{}}
	for _, file := range f.FilesOf(ingest.Record) {
		if err := p.readFile(ctx, file); err != nil {
			s.Report.Unread(file, err)
		}
	}
	if err := f.EachTranscript(ctx, p.readFile); err != nil {
		return nil, err
	}
	p.finish()
	return s, s.AddSubagents(ctx, f, func(file ingest.File) (ingest.Subagent, ingest.Report, error) {
		id := strings.TrimSuffix(strings.TrimPrefix(file.Name, "subagents/"), ".jsonl")
		k := &parser{s: &ingest.Session{}, own: id, sessions: p.sessions}
		err := k.readFile(ctx, file)
		k.finish()
		return ingest.Subagent{ID: id, Turns: k.s.Turns, Description: p.sessions[id].title}, k.s.Report, err
	})
}

func (p *parser) readFile(ctx context.Context, f ingest.File) error {
	p.file = f.Name
	return ingest.EachLine(ctx, f, p.takeLine)
}

// Find lists the sessions of a database, or of those in a folder, with their sub-agents. A database that hasn't changed
// since the last time isn't opened.
func (Reader) Find(ctx context.Context, at string, seen ingest.Seen) ([]ingest.Found, []ingest.Problem) {
	f := &finder{Search: ingest.Search{Context: ctx, Seen: seen}}
	f.LookFor(at, f.walk, f.file)
	return f.found, f.Problems
}

type finder struct {
	ingest.Search
	found []ingest.Found
}

// walk searches for databases in a folder; in the client's own, not below it.
func (f *finder) walk(dir string) {
	all, _ := filepath.Glob(filepath.Join(dir, "*"+dbExt))
	all = slices.DeleteFunc(all, func(path string) bool { return !isDatabase(path) })
	for _, path := range all {
		f.file(path, nil)
	}
	if len(all) == 0 {
		f.Walk(dir, isDatabase, f.file)
	}
}

// isDatabase reports whether a path has a database's name; each release channel has one.
func isDatabase(path string) bool {
	base := filepath.Base(path)
	is, _ := filepath.Match("opencode*"+dbExt, base)
	return is || filepath.Ext(base) == dbExt && base == filepath.Base(os.Getenv("OPENCODE_DB"))
}

// file adds a file that could be a database.
func (f *finder) file(at string, _ fs.FileInfo) {
	if filepath.Ext(at) != dbExt {
		return
	}
	s := contentsOf(at, 0)
	if s.err != nil {
		if isDatabase(at) {
			f.Problem(at, s.err)
		}
		return
	}
	for _, found := range s.found {
		found.Root = filepath.Dir(at)
		f.found = append(f.found, found)
	}
	for _, id := range slices.Sorted(maps.Keys(s.Sessions)) {
		if k := s.Sessions[id]; !k.There {
			f.Problem(at, fmt.Errorf("%d bytes in rows of session %q, which is missing",
				k.Spoken.Size+k.Beside.Size, id))
		}
	}
}

// Cut implements ingest.Layout: a file is in what holds it, into which nothing missing is ever put.
func (Reader) Cut(ingest.Found, string) (ingest.Cut, error) {
	return ingest.CutAt(func(_ ingest.File, parts []string) int {
		if at := len(parts) - 2; at > 0 && path.Ext(parts[at]) == dbExt {
			return at
		}
		return 0
	}), nil
}
