package cowork

import (
	"errors"
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

// readEntry reads the first object of a line and returns what follows it. why
// says what is wrong with the line, "" if nothing is.
func readEntry(b []byte) (e entry, rest []byte, why string) {
	c := jsonl.NewCursor(b)
	if c.Kind() != '{' {
		return e, nil, "not a JSON object"
	}
	granted := false
	c.Object(func(name []byte) { e.member(c, string(name), &granted) })
	if err := c.Err(); err != nil {
		if errors.Is(err, jsonl.ErrSyntax) && strings.ContainsFunc(string(b[:min(len(b), 512)]), isControl) {
			return e, nil, "binary data"
		}
		return e, nil, err.Error()
	}
	if e.at.IsZero() && len(e.message) > 0 && e.message[0] == '{' { // early versions wrote the time there
		m := jsonl.NewCursor(e.message)
		m.Object(func(name []byte) {
			if string(name) == "_audit_timestamp" {
				e.at = moment(m)
			}
		})
	}
	return e, c.Rest(), ""
}

func isControl(r rune) bool { return r < ' ' && r != '\t' && r != '\r' }

func (e *entry) member(c *jsonl.Cursor, name string, granted *bool) {
	switch name {
	case "type":
		e.kind = text(c)
	case "subtype":
		e.subtype = text(c)
	case "uuid":
		e.uuid = text(c)
	case "session_id", "sessionId":
		e.session = text(c)
	case "parent_tool_use_id":
		e.inAgent = text(c) != ""
	case "isSynthetic":
		e.synthetic = truth(c)
	case "isReplay":
		e.replay = truth(c)
	case "_audit_timestamp":
		e.at = moment(c)
	case "timestamp":
		if t := moment(c); e.at.IsZero() {
			e.at = t
		}
	case "message":
		e.message = c.Raw()
	case "tool_use_result", "toolUseResult":
		e.toolResult = c.Raw()
	case "origin":
		e.origin = c.Raw()
	case "compact_metadata", "compactMetadata":
		e.compact = c.Raw()
	default:
		e.rare(c, name, granted)
	}
}

func (e *entry) rare(c *jsonl.Cursor, name string, granted *bool) {
	switch name {
	case "tool_name":
		e.tool = text(c)
	case "tool_use_id":
		e.call = text(c)
	case "tool_input":
		e.input = claudecode.Input(c, jsonl.Unquote)
	case "granted":
		*granted = true
		e.granted = truth(c)
	case "decision":
		if d := text(c); !*granted {
			e.granted = strings.HasPrefix(d, "allow")
		}
	case "terminal_reason":
		e.terminal = text(c)
	case "summary":
		e.summary = text(c)
	case "preceding_tool_use_ids":
		e.preceding = texts(c)
	case "error":
		e.failed = text(c) != ""
	case "cwd":
		e.cwd = text(c)
	case "claude_code_version":
		e.version = text(c)
	case "total_cost_usd":
		if v, err := strconv.ParseFloat(c.Text(), 64); err == nil && v > 0 && v < 1e6 {
			e.cost = v
		}
	case "modelUsage":
		e.usage = modelUsage(c)
	}
}

// modelUsage sums the tokens that a result states for each model.
func modelUsage(c *jsonl.Cursor) ingest.Usage {
	var u ingest.Usage
	c.Object(func([]byte) {
		c.Object(func(name []byte) {
			switch string(name) {
			case "inputTokens":
				u.Input += c.Int()
			case "outputTokens":
				u.Output += c.Int()
			case "cacheCreationInputTokens":
				u.CacheWrite += c.Int()
			case "cacheReadInputTokens":
				u.CacheRead += c.Int()
			}
		})
	})
	return u
}

// prompt is the text of a user's entry that somebody may have typed; false if
// it holds a tool's result or was written by the app.
func (e *entry) prompt() (string, bool) {
	text, results := claudecode.Content(e.message)
	return text, !e.synthetic && !results && strings.TrimSpace(text) != ""
}
