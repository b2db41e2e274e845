package hooks

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recall/answer/brief"
	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/internal/text"
	"recall/library"
	"recall/library/disk"
	"recall/payload"
	"recall/pipeline"
)

// preCompact archives and distills a session before the client drops most of it. It says nothing, since that would
// enter the summary. As the transcript remains complete, another process may do it; if that dies, whatever runs next
// does it.
func (h *Host) preCompact(ctx context.Context, in Input) error {
	mark := h.memoPath(in.Session, ".compacting")
	marked := writeJSON(mark, in.Trigger) == nil
	if h.HandOn != nil && h.HandOn(in) {
		return nil // that process removes the mark
	}
	if marked {
		defer os.Remove(mark)
	}
	return h.process(ctx, in)
}

// end processes a session when it is over and its file complete. It also archives those that ended in a crash.
func (h *Host) end(ctx context.Context, in Input) error {
	if err := h.process(ctx, in); err != nil {
		return err
	}
	defer h.tidy()
	if in.Reason == "clear" || in.Reason == "idle" {
		return nil // the user goes on working, there or in the next one
	}
	l, err := h.Library(LockWait)
	if err != nil {
		return err
	}
	_, err = h.Archiver(l).Archive(ctx, nil)
	return err
}

// process archives, distills and indexes one session, if its file exists: "claude mcp list" ends with the path of a
// file that doesn't.
func (h *Host) process(ctx context.Context, in Input) error {
	if in.Transcript == "" {
		return nil
	}
	fi, err := os.Stat(in.Transcript)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && fi.Mode()&^fs.ModePerm&^fs.ModeDir != 0:
		return nil
	case err != nil:
		return err
	case !fi.IsDir() && !strings.HasPrefix(filepath.Ext(in.Transcript), ".json"): // a folder holds a client's database
		return fmt.Errorf("%s isn't a transcript", in.Transcript)
	}
	// Nobody waits for this, so retry while another process holds a lock.
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		err := h.sync(ctx, in.Transcript)
		if !errors.Is(err, library.ErrBusy) {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return err
		}
	}
}

func (h *Host) sync(ctx context.Context, path string) error {
	l, err := h.Library(LockWait)
	if err != nil {
		return err
	}
	p, err := h.Pipeline(l)
	if err != nil { // without an index, archive the bytes at least
		_, other := h.Archiver(l).Archive(ctx, []string{path})
		return errors.Join(err, other)
	}
	report, err := p.Sync(ctx, pipeline.Options{From: []string{path}})
	if report.Busy {
		err = errors.Join(err, library.ErrBusy)
	}
	for _, pr := range report.Problems {
		err = errors.Join(err, pr)
	}
	return err
}

// notThis is what a person types to have nothing of the session kept.
const notThis = "recall: not this one"

// buryWait is how long excluding a session waits for a lock: nobody would retry.
const buryWait = time.Second

// out reports whether nothing of a session is to be kept, and what to say about that: its folder is excluded, or
// its environment or the person says so. Then it gets no memo, log, or context, and isn't archived. Only the first
// reason can end: it leaves nothing behind.
func (h *Host) out(e Event, in Input) (out bool, said Answer) {
	rule := h.Sources.Exclusion.Folder(in.Cwd)
	var m memo
	asked := Asked(e, in)
	readJSON(h.memoPath(in.Session, ".json"), &m)
	switch {
	case asked || h.Pause && !m.Out:
		return true, h.leave(in, asked)
	case m.Out:
		return true, Answer{}
	case rule == "" && e == UserPromptSubmit && strings.HasPrefix(wordOf(in), notThis):
		return true, Answer{Tell: "recall: this session is NOT left out: for that the prompt must say " +
			`"` + notThis + `" and nothing else`}
	case rule != "" && e == SessionStart:
		said.Tell = "recall: nothing of this session is kept (" + rule + ")"
	}
	return rule != "", said
}

// Asked reports whether the prompt asks that nothing of the session be kept.
func Asked(e Event, in Input) bool { return e == UserPromptSubmit && wordOf(in) == notThis }

func wordOf(in Input) string {
	return strings.ToLower(strings.TrimRight(strings.TrimSpace(in.Prompt), ".!"))
}

// NotOut says that a session isn't left out, and why; the prompt that asked for it is blocked.
func NotOut(in Input, asked bool, why error) Answer {
	return Answer{Block: asked, Tell: "recall: this session is NOT left out: " + why.Error() +
		"; once that is fixed, recall forget " + in.Session + " does it"}
}

// leave stops recall from keeping anything more of a session. If the person asks for it in a prompt, what is already
// kept is removed.
func (h *Host) leave(in Input, asked bool) Answer {
	id := ingest.SessionID(in.Session)
	l, err := h.Library(buryWait)
	if errors.Is(err, library.ErrNoLibrary) && !asked {
		return Answer{}
	}
	said := "recall: nothing of this session is kept, and what was kept is being removed; its transcript stays with " +
		"the client, and prompts of it that were archived from history.jsonl stay in the library"
	if err == nil && asked {
		err = l.MarkForgotten([]ingest.SessionID{id})
	} else if err == nil {
		said = "recall: nothing of this session is kept (RECALL_PAUSE)"
		_, unknown := l.Session(id)
		if errors.Is(unknown, library.ErrNoSession) && len(l.Broken()) == 0 {
			err = l.MarkForgotten([]ingest.SessionID{id})
		} else { // something was kept before, or can't be read and so may have been
			err = l.Freeze(id)
			said = "recall: nothing more of this session is kept (RECALL_PAUSE); what was kept before stays"
		}
	}
	if err == nil {
		for _, end := range []string{".json", ".compacting"} {
			os.Remove(h.memoPath(in.Session, end))
		}
		err = cmp.Or(h.Logs.Forget(id), writeJSON(h.memoPath(in.Session, ".json"), memo{Out: true}))
	}
	if err != nil {
		return NotOut(in, asked, err)
	}
	if asked && h.Forget != nil && !h.Forget(in.Session) {
		said = "recall: nothing more of this session is kept, but what was kept could NOT be removed now: recall forget " +
			in.Session + " does it"
	}
	return Answer{Tell: said, Block: asked}
}

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
	Words   string `json:"w,omitempty"` // hashes of those that a page shows of it
}

func spotOf(session string, turn int) spot { return spot{Session: text.Hash(session, 4), Turn: turn} }

// knows reports whether one of some spots is within so many turns of what bears on a task.
func (m *memo) knows(spots []spot, b *brief.Bearing, within int) bool {
	at := spotOf(b.Session, b.Turn)
	return slices.ContainsFunc(spots, func(s spot) bool {
		return s.Session == at.Session && max(s.Turn-at.Turn, at.Turn-s.Turn) <= within
	})
}

// shows reports whether the page says most of what bears on a task, in lines that rest on turns around it.
func (m *memo) shows(b *brief.Bearing) bool {
	var had []string
	for _, s := range m.Page {
		if m.knows([]spot{s}, b, besideLine) {
			had = append(had, strings.Fields(s.Words)...)
		}
	}
	said := strings.Fields(hashedWords(b.Item.Text + " " + b.Asked + " " + b.Answered))
	both := slices.DeleteFunc(slices.Clone(said), func(w string) bool { return !slices.Contains(had, w) })
	return float64(len(both)) >= saysMost*float64(len(said))
}

const saysMost = 0.4 // of the words; 0.35 and 0.45 tell the same

// hashedWords returns a hash for each of a text's words: a memo keeps no words of a session.
func hashedWords(said string) string {
	var all []string
	for w := range text.Words(said) {
		all = append(all, text.Hash(w, 3))
	}
	slices.Sort(all)
	return strings.Join(all, " ")
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
	text, err := json.Marshal(v)
	if err == nil {
		err = disk.ReplaceCache(path, text)
	}
	return err
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
