// Package codex finds and reads the sessions of OpenAI's Codex, written by its command line, editor extensions and app.
//
// On disk, below CODEX_HOME (~/.codex):
//
//	sessions/<year>/<month>/<day>/rollout-<time>-<thread>.jsonl    a thread; ….jsonl.zst once compressed
//	archived_sessions/…                                            archived threads
//
// A line is an envelope: a time, a type, a payload. Both what the model saw (response_item) and what the screen showed
// (event_msg) are there, so most is said twice. The conversation is read from the former; the latter tell what the
// person typed from what the client put under their name. A forked thread begins with a copy of the other's lines,
// under new times. Sub-agents' threads have files of their own.
//
// A session's files are named as follows, also in the library: "transcript.jsonl" (".zst"), "subagents/<thread>.jsonl",
// and "transcripts/rollout-….jsonl" for the continuation of a thread after a rewind.
package codex

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"recall/ingest"
	"recall/ingest/jsonl"
)

// Reader finds and parses Codex's sessions. Its zero value is ready.
type Reader struct{}

var _ ingest.Reader = Reader{}

// Source is ingest.Codex.
func (Reader) Source() ingest.Source { return ingest.Codex }

// Roots lists Codex's own folders that exist.
func (Reader) Roots() []string {
	client := ingest.Codex.Client()
	return ingest.HomeFolders([]string{os.Getenv(client.Env)}, client.Home)
}

// Parse reads a session's rollouts, then its sub-agents'. It doesn't detect forks: see ingest.Own.
func (Reader) Parse(ctx context.Context, f ingest.Found) (*ingest.Session, error) {
	s := &ingest.Session{ID: f.ID, Source: ingest.Codex}
	p := newParser(s)
	p.many = len(f.FilesOf(ingest.Transcript)) > 1
	if err := f.EachTranscript(ctx, p.readFile); err != nil {
		return nil, err
	}
	s.Helper = p.own.helper
	p.finish()
	had := map[string]bool{}
	for i := range s.Turns {
		for _, key := range s.Turns[i].Keys {
			had[key] = true
		}
	}
	given := func(t ingest.Turn) bool { // part of its parent's conversation, not its own
		return slices.ContainsFunc(t.Keys, func(key string) bool { return had[key] })
	}
	return s, s.AddSubagents(ctx, f, func(file ingest.File) (ingest.Subagent, ingest.Report, error) {
		k := newParser(&ingest.Session{})
		err := k.readFile(ctx, file)
		k.finish()
		turns := slices.DeleteFunc(k.s.Turns, given)
		for i := range turns {
			turns[i].N = i + 1
		}
		return ingest.Subagent{ID: k.own.id, Type: k.own.role, Description: k.own.nickname, Call: p.spawned[k.own.id],
			Turns: turns}, k.s.Report, err
	})
}

func (p *parser) readFile(ctx context.Context, f ingest.File) error {
	p.file, p.metas, p.here = f.Name, 0, nil
	err := ingest.EachLine(ctx, plain(f), p.takeLine)
	for _, h := range p.here {
		p.before[h] = true
	}
	return err
}

// How much larger than its file a compressed file may become, beyond the first unpackFree bytes.
const (
	unpackMost = 400
	unpackFree = 64 << 20
)

// plain returns a file decompressed.
func plain(f ingest.File) ingest.File {
	if !strings.HasSuffix(f.Name, ".zst") {
		return f
	}
	packed := f.Open
	f.Open = func() (io.ReadCloser, error) {
		in, err := packed()
		if err != nil {
			return nil, err
		}
		d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(128<<20))
		if err != nil {
			in.Close()
			return nil, err
		}
		return &unpacking{d, in, f.Size*unpackMost + unpackFree, cmp.Or(f.Path, f.Name)}, nil
	}
	return f
}

// unpacking is a compressed file being read.
type unpacking struct {
	plain *zstd.Decoder
	in    io.Closer
	left  int64
	path  string
}

func (u *unpacking) Read(b []byte) (int, error) {
	n, err := u.plain.Read(b)
	if u.left -= int64(n); u.left < 0 {
		return 0, fmt.Errorf("%s unpacks to more than %d times its size, which no session does", u.path, unpackMost)
	}
	return n, err
}

func (u *unpacking) Close() error {
	u.plain.Close()
	return u.in.Close()
}

// A record is a line of a rollout: its type, time and content.
type record struct {
	kind, inner string // session_meta, response_item, event_msg, …; inner is the payload's type in the last two
	at          time.Time
	ordinal     int64
	payload     []byte // an object
}

// readRecord reads an object. Before there were envelopes, in 2025, each line was the payload itself: a header without
// a type, then the items.
func readRecord(c *jsonl.Cursor, b []byte) (r record, ok bool) {
	var at, id, state string
	ok = c.Kind() == '{' && c.Fields(jsonl.Fields{"type": &r.kind, "timestamp": &at, "payload": &r.payload,
		"ordinal": &r.ordinal, "id": &id, "record_type": &state})
	if r.at, _ = ingest.ParseTime(at); r.payload == nil {
		r.payload = b[:len(b)-len(c.Rest())]
		switch {
		case r.kind == "" && state == "" && id != "":
			r.kind = "session_meta"
		case r.kind == "":
			r.kind = state
		case items[r.kind] != nil:
			r.kind, r.inner = "response_item", r.kind
		}
	} else if r.kind == "response_item" || r.kind == "event_msg" {
		jsonl.ReadFields(r.payload, jsonl.Fields{"type": &r.inner})
	}
	return r, ok
}

type header struct {
	id, at, cwd, branch string
	forkedFrom, parent  string
	role, nickname      string
	helper              bool   // started by the client itself: a review, making memories
	headless            bool   // a program asks: a script, or another agent
	base                string // the thread that it continues, up to ordinal before
	before              int64
}

func readHeader(payload []byte) (h header) {
	c := jsonl.NewCursor(payload)
	spawned := jsonl.Fields{"parent_thread_id": &h.parent, "agent_role": &h.role, "agent_nickname": &h.nickname}
	c.Fields(jsonl.Fields{
		"id": &h.id, "timestamp": &h.at, "cwd": &h.cwd, "forked_from_id": &h.forkedFrom,
		"parent_thread_id": &h.parent, "agent_role": &h.role, "agent_nickname": &h.nickname,
		"git":          jsonl.Fields{"branch": &h.branch},
		"history_base": jsonl.Fields{"thread_id": &h.base, "end_ordinal_exclusive": &h.before},
		"source": func() {
			if c.Kind() == '"' {
				source := c.String()
				h.headless = source == "exec" || source == "mcp"
				return
			}
			c.Fields(jsonl.Fields{"subagent": func() {
				h.helper, h.headless = true, true
				c.Fields(jsonl.Fields{"thread_spawn": spawned})
			}})
		},
	})
	return h
}

// texts calls take with the text of each block in a list, and its kind where the client gives that.
func texts(raw []byte, take func(i int, kind, text string)) {
	c := jsonl.NewCursor(raw)
	if c.Kind() == '"' {
		take(0, "", c.String())
		return
	}
	i := 0
	c.Array(func() {
		var kind string
		var text jsonl.Escaped
		c.Fields(jsonl.Fields{"type": &kind, "text": &text})
		take(i, kind, jsonl.Unquote(text))
		i++
	})
}

func joined(raw []byte) string {
	var all []string
	texts(raw, func(_ int, _, text string) {
		if text = strings.TrimSpace(text); text != "" {
			all = append(all, text)
		}
	})
	return strings.Join(all, "\n\n")
}

// words reads a list of strings, or a single one.
func words(raw []byte) (list []string) {
	c := jsonl.NewCursor(raw)
	if c.Kind() == '"' {
		return []string{c.String()}
	}
	c.Array(func() { list = append(list, c.Text()) })
	return list
}
