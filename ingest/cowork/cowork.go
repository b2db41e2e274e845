// Package cowork finds and reads the sessions of Claude Cowork, the agent mode
// of the Claude desktop app. Each is a record (title, dates, folders), a
// storage folder with one or more Claude Code transcripts, and an audit log
// of what the app saw. Any of them may be missing; together they make one
// ingest.Session.
//
// On disk, below a root:
//
//	<account>/<organisation>/local_<id>.json        the record
//	<account>/<organisation>/local_<id>/            the storage folder
//	    .claude/projects/<slug>/<cliSessionId>.jsonl    a transcript
//	    audit.jsonl  uploads/  outputs/
//	<account>/<organisation>/agent/local_….json     the same, of the app's own agents
//	<account>/<organisation>/spaces.json            names of the account's spaces
//
// A session's files are named, in the library too: "record.json",
// "spaces.json", "audit.jsonl", "transcripts/<cliSessionId>.jsonl",
// "<cliSessionId>/subagents/…", "<cliSessionId>/tool-results/…",
// "tasks/…", "plans/…", "uploads/…", "outputs/…".
package cowork

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"recall/ingest"
)

// Reader reads Cowork sessions. Its zero value is ready for use.
type Reader struct{}

var _ ingest.Reader = Reader{}

// Source is ingest.Cowork.
func (Reader) Source() ingest.Source { return ingest.Cowork }

// Roots lists this system's folders "local-agent-mode-sessions"; RECALL_COWORK_DIR (like PATH) replaces them.
func (Reader) Roots() []string { return thisSystem().roots() }

// Find lists the sessions under a root, an account's folder, a storage folder, a single record or a folder above them.
func (Reader) Find(ctx context.Context, path string, seen ingest.Seen) ([]ingest.Found, []ingest.Problem) {
	f := finder{Search: ingest.Search{Context: ctx, Seen: seen, Root: path}, ids: map[ingest.SessionID]string{}}
	f.find(path)
	return f.found, f.Problems
}

var _ ingest.Layout = Reader{}

// ByFolder is false: the app lists the sessions of an account.
func (Reader) ByFolder() bool { return false }

// Base is the folder with the accounts' folders.
func (Reader) Base(f ingest.Found) string { return inRoot(f.ID).Base(f) }

// Places implements ingest.Layout. Nothing of a session hangs on dir.
func (Reader) Places(f ingest.Found, _ string) (map[string]string, error) {
	return inRoot(f.ID).Places(f)
}

// inRoot cuts a path at the root: account, organisation and, of the app's own agents, "agent" stand above the session.
func inRoot(id ingest.SessionID) ingest.Cut {
	return func(file ingest.File) (base, rel string) {
		parts := strings.Split(ingest.SlashPath(file.Path), "/")
		at := slices.IndexFunc(parts, func(p string) bool { return p == string(id) || p == string(id)+".json" })
		if file.Role == SpacesFile { // <account>/<organisation>/spaces.json
			at = len(parts) - 1
		}
		if at > 0 && parts[at-1] == "agent" {
			at--
		}
		if at -= 2; at < 1 {
			return "", ""
		}
		return cmp.Or(strings.Join(parts[:at], "/"), "/"), strings.Join(parts[at:], "/")
	}
}
