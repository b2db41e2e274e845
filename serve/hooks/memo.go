package hooks

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"recall/answer/brief"
	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/internal/text"
	"recall/library/disk"
	"recall/payload"
)

// The memos are small files in the cache folder's hooks/, one per session, that can be lost at any time:
//
//	<session>.json        what it was told: items noted, what its payload contained
//	<session>.agent-…     what a sub-agent that is about to start is to be told
//	<session>.compacting  PreCompact is distilling it
//
// Sessions are named by a hash, so that an id can't lead out of the folder.

// memo records what a session was told.
type memo struct {
	Noted []payload.ItemID `json:"noted,omitempty"` // what tool calls were warned of, once each
	Told  []spot           `json:"told,omitempty"`  // what prompts were told, once each
	Page  []spot           `json:"page,omitempty"`  // what its last payload rests on
	Of    []string         `json:"of,omitempty"`    // the sessions that it was forked from
	// hashes of other sessions' items in its last payload; nil if unknown
	Held []string `json:"held"`
	// it was told that its context is filling up, since the last compaction
	Nudged    bool `json:"nudged,omitempty"`
	Committed bool `json:"committed,omitempty"` // since the last prompt
	Proposed  bool `json:"proposed,omitempty"`  // a boundary, once
	// nothing of it is to be kept
	Out bool `json:"out,omitempty"`
}

// spot is a turn of a session.
type spot struct {
	Session string `json:"s"` // its hash
	Turn    int    `json:"n"`
}

func spotOf(session string, turn int) spot { return spot{text.Hash(session, 4), turn} }

// knows reports whether one of some spots is within so many turns of what bears on a task.
func (m *memo) knows(spots []spot, b *brief.Bearing, within int) bool {
	at := spotOf(b.Session, b.Turn)
	return slices.ContainsFunc(spots, func(s spot) bool {
		return s.Session == at.Session && max(s.Turn-at.Turn, at.Turn-s.Turn) <= within
	})
}

func (h *Host) memoPath(session, end string) string {
	return filepath.Join(h.Cache, text.Hash(session, 8)+end)
}

func readJSON(path string, to any) bool {
	text, err := disk.ReadPlain(path)
	return err == nil && json.Unmarshal(text, to) == nil
}

// writeJSON is best effort: a memo that can't be written only causes a repeated note.
func writeJSON(path string, v any) error {
	return disk.ReplaceCache(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(v) })
}

// memoOf returns the memo of a session; a fork's conversation begins with what the other one was told.
func (h *Host) memoOf(in Input) memo {
	var m, was memo
	readJSON(h.memoPath(in.Session, ".json"), &m)
	parent := claudecode.ForkOf(in.Transcript)
	if parent == "" || parent == in.Session || slices.Contains(m.Of, parent) {
		return m
	}
	if readJSON(h.memoPath(parent, ".json"), &was); m.Held == nil {
		m.Held = was.Held
	}
	m.Noted, m.Told, m.Page = ingest.Union(m.Noted, was.Noted...), ingest.Union(m.Told, was.Told...),
		ingest.Union(m.Page, was.Page...)
	m.Of = ingest.Union(m.Of, append(was.Of, parent)...)
	return m
}

func (h *Host) keep(session string, m memo) error {
	return writeJSON(h.memoPath(session, ".json"), m)
}

// ForgetUntold removes what is to be told soon: it is the only one of the memos with words of sessions.
func ForgetUntold() (err error) {
	for _, end := range []string{".agent-*", ".late"} {
		kept, _ := filepath.Glob(filepath.Join(Dir(), "*"+end))
		for _, path := range kept {
			if failed := os.Remove(path); !errors.Is(failed, fs.ErrNotExist) { // else told meanwhile
				err = errors.Join(err, failed)
			}
		}
	}
	return err
}

// tidy removes memos of long-ended sessions.
func (h *Host) tidy() {
	entries, err := os.ReadDir(h.Cache)
	if err != nil || len(entries) < 200 {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && filepath.Ext(e.Name()) != ".log" &&
			time.Since(info.ModTime()) > 60*24*time.Hour {
			os.Remove(filepath.Join(h.Cache, e.Name()))
		}
	}
}
