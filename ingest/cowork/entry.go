package cowork

import (
	"strconv"
	"strings"
	"time"

	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/ingest/jsonl"
)

// An entry is one object of an audit log. What is raw points into the line.
type entry struct {
	kind, subtype, uuid, session string
	inAgent                      bool // a sub-agent's
	synthetic, replay, failed    bool
	at                           time.Time
	message, toolResult, compact []byte
	origin                       []byte

	tool, call        string
	input             map[string]string
	granted           bool
	terminal, summary string
	preceding         []string
	cwd, version      string
	cost              float64
	usage             ingest.Usage
}

// An entryReader reads one entry after the other, each over the one before.
type entryReader struct {
	entry
	c                                       jsonl.Cursor
	fields                                  jsonl.Fields
	agent, failure, decision, allowed, cost string
}

func newEntryReader() *entryReader {
	r := &entryReader{}
	e, c := &r.entry, &r.c
	r.fields = jsonl.Fields{
		"type": &e.kind, "subtype": &e.subtype, "uuid": &e.uuid, "session_id": &e.session, "sessionId": &e.session,
		"parent_tool_use_id": &r.agent, "isSynthetic": &e.synthetic, "isReplay": &e.replay,
		"message": &e.message, "tool_use_result": &e.toolResult, "toolUseResult": &e.toolResult, "origin": &e.origin,
		"compact_metadata": &e.compact, "compactMetadata": &e.compact,
		"tool_name": &e.tool, "tool_use_id": &e.call, "granted": &r.allowed, "decision": &r.decision,
		"terminal_reason": &e.terminal, "summary": &e.summary, "error": &r.failure,
		"cwd": &e.cwd, "claude_code_version": &e.version, "total_cost_usd": &r.cost,
		"preceding_tool_use_ids": func() { e.preceding = texts(c) },
		"tool_input":             func() { e.input = claudecode.Input(c, jsonl.Unquote) },
		"modelUsage":             func() { e.usage = modelUsage(c) },
		"_audit_timestamp":       func() { e.at = moment(c) },
		"timestamp": func() {
			if t := moment(c); e.at.IsZero() {
				e.at = t
			}
		},
	}
	return r
}

// read reads the first object of a line and returns what follows it. why says
// what is wrong with the line, "" if nothing is.
func (r *entryReader) read(b []byte) (rest []byte, why string) {
	*r = entryReader{c: *jsonl.NewCursor(b), fields: r.fields}
	e, c := &r.entry, &r.c
	if c.Kind() != '{' || !c.Fields(r.fields) {
		return nil, claudecode.Reason(c, b)
	}
	if e.at.IsZero() && len(e.message) > 0 && e.message[0] == '{' { // early versions wrote the time there
		m := jsonl.NewCursor(e.message)
		m.Fields(jsonl.Fields{"_audit_timestamp": func() { e.at = moment(m) }})
	}
	e.inAgent, e.failed = r.agent != "", r.failure != ""
	e.granted = r.allowed == "true" || r.allowed == "1" || r.allowed == "" && strings.HasPrefix(r.decision, "allow")
	if v, err := strconv.ParseFloat(r.cost, 64); err == nil && v > 0 && v < 1e6 {
		e.cost = v
	}
	return c.Rest(), ""
}

// modelUsage sums the tokens that a result states for each model.
func modelUsage(c *jsonl.Cursor) (all ingest.Usage) {
	c.Object(func([]byte) {
		var u ingest.Usage
		c.Fields(jsonl.Fields{"inputTokens": &u.Input, "outputTokens": &u.Output,
			"cacheCreationInputTokens": &u.CacheWrite, "cacheReadInputTokens": &u.CacheRead})
		all.Add(u)
	})
	return all
}

// prompt is the text of a user's entry that somebody may have typed; false if
// it holds a tool's result or was written by the app.
func (e *entry) prompt() (string, bool) {
	text, results := claudecode.Content(e.message)
	return text, !e.synthetic && !results && strings.TrimSpace(text) != ""
}
