package codex

import (
	"strings"
	"time"

	"recall/ingest"
	"recall/ingest/jsonl"
)

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
	id, at, cwd, version, branch string
	forkedFrom, parent           string
	role, nickname               string
	helper                       bool   // started by the client itself: a review, making memories
	headless                     bool   // a program asks: a script, or another agent
	base                         string // the thread that it continues, up to ordinal before
	before                       int64
}

func readHeader(payload []byte) (h header) {
	c := jsonl.NewCursor(payload)
	spawned := jsonl.Fields{"parent_thread_id": &h.parent, "agent_role": &h.role, "agent_nickname": &h.nickname}
	c.Fields(jsonl.Fields{
		"id": &h.id, "timestamp": &h.at, "cwd": &h.cwd, "cli_version": &h.version, "forked_from_id": &h.forkedFrom,
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
				h.helper = true
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
