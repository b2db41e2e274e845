package cowork

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/ingest/jsonl"
)

// An auditLog is a claudecode.Log of audit.jsonl. Messages are read as in a transcript; what else the app recorded is
// kept here: clicks on permission cards, Stop, costs.
type auditLog struct {
	name     string
	report   ingest.Report // on lines that aren't messages
	sessions []string      // ids in its lines, in order of first use

	last         string // uuid of the last message
	cwd, version string
	prompt       said            // the last prompt
	fresh        bool            // nothing was answered since
	prompts      map[string]said // all prompts, by text
	copies       map[string][]said

	cards  []card
	denied []string // tool_use ids refused without asking
	stops  []stop

	before, now ingest.Usage // totals stated in results, which grow within one run of the CLI and restart with the next
}

// said is a prompt with its uuid and the files named in it.
type said struct {
	uuid, text string
	uploads    []string
}

// A card is a permission request to the person, and the answer.
type card struct {
	id, tool, call string
	input          map[string]string
	at             time.Time
	answered       bool
	granted        bool
}

// A stop is a press of Stop.
type stop struct {
	id   string
	at   time.Time
	line int
}

func (a *auditLog) readEntry(e *claudecode.Entry) (message bool, why string) {
	a.sessions = ingest.Union(a.sessions, e.Session)
	if e.InAgent && (e.Kind == "user" || e.Kind == "assistant") {
		return false, ""
	}
	switch e.Kind {
	case "user":
		return a.takeUser(e)
	case "assistant":
		a.fresh = false
		return a.message(e)
	case "system":
		return a.takeSystem(e)
	case "result":
		a.takeResult(e)
	case "tool_use_summary", "rate_limit_event", "stream_event", "tool_progress", "auth_status", "keep_alive",
		"prompt_suggestion", "control_request", "control_response", "control_cancel_request", "streamlined_text",
		"files_persisted":
	default:
		a.report.CountUnknown("audit " + cmp.Or(e.Kind, "(none)"))
	}
	return false, ""
}

// idOf returns an entry's uuid, else its line number, which never changes because the log only grows.
func idOf(e *claudecode.Entry) string { return cmp.Or(e.UUID, fmt.Sprintf("audit-L%d", e.Line)) }

// message accepts an entry as a message that follows the last one.
func (a *auditLog) message(e *claudecode.Entry) (bool, string) {
	if e.Kind != "system" && !e.Spoken {
		return false, "no message in it"
	}
	e.UUID, e.Parent, e.Dir, e.Version = idOf(e), a.last, a.cwd, a.version
	a.last = e.UUID
	return true, ""
}

// takeUser takes a prompt once: the app logs it before sending it, and the CLI echoes it with another id and sometimes
// with the uploaded files before it.
func (a *auditLog) takeUser(e *claudecode.Entry) (bool, string) {
	if e.Synthetic || e.Results || strings.TrimSpace(e.Text) == "" { // can't have been typed
		a.fresh = a.fresh && e.Synthetic
		return a.message(e)
	}
	p := claudecode.Classify(e.Text)
	now := said{e.UUID, p.Name + " " + p.Text, p.Uploads}
	first, known := a.prompts[now.text]
	switch {
	case a.fresh && a.prompt.text == now.text:
		first = a.prompt
	case e.Replay && known:
	default:
		now.uuid = idOf(e)
		a.prompt, a.fresh = now, true
		a.prompts[now.text] = now
		return a.message(e)
	}
	a.copies[first.uuid] = append(a.copies[first.uuid], now)
	return false, ""
}

func (a *auditLog) takeSystem(e *claudecode.Entry) (bool, string) {
	switch e.Subtype {
	case "init":
		a.cwd, a.version = e.Dir, e.Version
	case "compact_boundary":
		return a.message(e)
	case "permission_request":
		n := readDetails(e.Raw)
		a.cards = append(a.cards, card{id: e.UUID, tool: n.tool, call: n.call, input: n.input, at: e.At})
	case "permission_response":
		a.answer(e)
	case "permission_denied":
		a.denied = append(a.denied, readDetails(e.Raw).call)
	default:
		sub := cmp.Or(e.Subtype, "(none)")
		if !claudecode.IgnoredSystem(sub) {
			a.report.CountUnknown("audit system " + sub)
		}
	}
	return false, ""
}

// answer matches a click to its card: the last open one with its id.
func (a *auditLog) answer(e *claudecode.Entry) {
	n := readDetails(e.Raw)
	for i := len(a.cards) - 1; i >= 0; i-- {
		if c := &a.cards[i]; c.id == e.UUID && !c.answered {
			c.answered, c.granted = true, n.granted
			return
		}
	}
	if !n.granted { // its request is lost; the refusal still counts if a tool can be found
		a.cards = append(a.cards, card{id: e.UUID, tool: n.tool, call: n.call, at: e.At, answered: true})
	}
}

func (a *auditLog) takeResult(e *claudecode.Entry) {
	a.fresh = false
	n := readDetails(e.Raw)
	if n.usage != (ingest.Usage{}) {
		if n.usage.Output < a.now.Output {
			a.before.AddUsage(a.now)
		}
		a.now = n.usage
	}
	if strings.HasPrefix(n.terminal, "aborted") {
		a.stops = append(a.stops, stop{idOf(e), e.At, e.Line})
	}
}

// details is what an audit log's entry says beyond a transcript's.
type details struct {
	tool, call string
	input      map[string]string
	granted    bool
	terminal   string
	usage      ingest.Usage
}

func readDetails(raw []byte) (n details) {
	var decision, allowed string
	c := jsonl.NewCursor(raw)
	c.Fields(jsonl.Fields{
		"tool_name": &n.tool, "tool_use_id": &n.call, "granted": &allowed, "decision": &decision,
		"terminal_reason": &n.terminal,
		"tool_input":      func() { n.input = ingest.Input(c) },
		"modelUsage":      func() { n.usage = modelUsage(c) },
	})
	n.granted = allowed == "true" || allowed == "1" || allowed == "" && strings.HasPrefix(decision, "allow")
	return n
}

// modelUsage sums the tokens that a result lists by model.
func modelUsage(c *jsonl.Cursor) (all ingest.Usage) {
	c.Object(func([]byte) {
		var u ingest.Usage
		c.Fields(jsonl.Fields{"inputTokens": &u.Input, "outputTokens": &u.Output,
			"cacheCreationInputTokens": &u.CacheWrite, "cacheReadInputTokens": &u.CacheRead})
		all.AddUsage(u)
	})
	return all
}
