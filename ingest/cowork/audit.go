package cowork

import (
	"cmp"
	"strings"
	"time"

	"recall/ingest"
	"recall/ingest/claudecode"
)

// An auditLog reads audit.jsonl. The messages in it it gives as those of a Claude
// Code transcript, so that they are understood in one place; the rest it keeps as
// what the app noted: clicks on permission cards, Stop, costs, summaries.
type auditLog struct {
	name    string
	entries *entryReader
	give    func(*claudecode.Message) (why string) // of the object being read
	why     string                                 // it is of no use, "" if it is

	report   ingest.Report // of what wasn't given
	sessions []string      // ids its lines carry, in order of first use

	last         string // uuid of the last line given
	cwd, version string
	prompt       said            // the last prompt
	fresh        bool            // nothing was answered since
	prompts      map[string]said // all of them, by text
	copies       map[string][]said

	cards     []card
	denied    []string // tool_use ids that were refused without asking
	stops     []stop
	summaries []toolSummary
	cost      spending
	tokens    spentTokens
}

// spot is a place in a file.
type spot struct {
	line   int
	offset int64
}

// said is a prompt, by its uuid, with the files named in it.
type said struct {
	uuid, text string
	uploads    []string
}

// A card is a permission asked of the person, and the answer.
type card struct {
	id, tool, call string
	input          map[string]string
	at             time.Time
	answered       bool
	granted        bool
	line           int
}

// A stop is the person's press on Stop.
type stop struct {
	id string
	at time.Time
	spot
}

type toolSummary struct {
	text  string
	calls []string
}

func newAuditLog(name string) *auditLog {
	return &auditLog{name: name, entries: newEntryReader(), prompts: map[string]said{}, copies: map[string][]said{}}
}

// read reads one object: a claudecode.Log.
func (a *auditLog) read(b []byte, line int, offset int64, give func(*claudecode.Message) string) (
	rest []byte, why string) {
	if rest, why = a.entries.read(b); why == "" {
		a.give, a.why = give, ""
		a.takeEntry(&a.entries.entry, spot{line, offset})
		why = a.why
	}
	return rest, why
}

// known counts a line that was understood, under its name if nothing is kept.
func (a *auditLog) known(name string) {
	a.report.Records++
	if name != "" {
		a.report.Ignore(name)
	}
}

// takeEntry puts one entry where it belongs.
func (a *auditLog) takeEntry(e *entry, at spot) {
	if e.session != "" {
		a.sessions = ingest.Union(a.sessions, e.session)
	}
	if e.inAgent && (e.kind == "user" || e.kind == "assistant") {
		a.known("audit sub-agent " + e.kind)
		return
	}
	switch e.kind {
	case "user":
		a.takeUser(e, at)
	case "assistant":
		a.fresh = false
		a.message(e, at)
	case "system":
		a.takeSystem(e, at)
	case "result":
		a.takeResult(e, at)
	case "tool_use_summary":
		a.summaries = append(a.summaries, toolSummary{e.summary, e.preceding})
		a.known("")
	case "rate_limit_event", "stream_event", "tool_progress", "auth_status", "keep_alive", "prompt_suggestion",
		"control_request", "control_response", "control_cancel_request", "streamlined_text", "files_persisted":
		a.known("audit " + e.kind)
	default:
		a.report.Records++
		a.report.Odd("audit " + cmp.Or(e.kind, "(none)"))
	}
}

// takeUser gives a prompt once: the app logs it before sending, the CLI echoes
// it, with other ids and sometimes with the uploaded files before it.
func (a *auditLog) takeUser(e *entry, at spot) {
	text, typed := e.prompt()
	if !typed {
		if !e.synthetic {
			a.fresh = false
		}
		a.message(e, at)
		return
	}
	p := claudecode.Classify(text)
	now := said{e.uuid, p.Name + " " + p.Text, p.Uploads}
	first, known := a.prompts[now.text]
	switch {
	case a.fresh && a.prompt.text == now.text:
		first = a.prompt
	case e.replay && known:
	default:
		if e.uuid == "" {
			e.uuid = at.id()
			now.uuid = e.uuid
		}
		a.prompt, a.fresh = now, true
		a.prompts[now.text] = now
		a.message(e, at)
		return
	}
	a.copies[first.uuid] = append(a.copies[first.uuid], now)
	a.report.Duplicates++
}

func (a *auditLog) takeSystem(e *entry, at spot) {
	switch e.subtype {
	case "init":
		a.cwd, a.version = e.cwd, e.version
		a.known("audit system init")
	case "compact_boundary":
		a.message(e, at)
	case "permission_request":
		a.cards = append(a.cards, card{id: e.uuid, tool: e.tool, call: e.call, input: e.input, at: e.at, line: at.line})
		a.known("")
	case "permission_response":
		a.answer(e, at)
	case "permission_denied":
		a.denied = append(a.denied, e.call)
		a.known("")
	default:
		sub := cmp.Or(e.subtype, "(none)")
		if claudecode.IgnoredSystem(sub) {
			a.known("audit system " + sub)
			return
		}
		a.report.Records++
		a.report.Odd("audit system " + sub)
	}
}

// answer ties a click to the card it is on: the last open one of its id.
func (a *auditLog) answer(e *entry, at spot) {
	for i := len(a.cards) - 1; i >= 0; i-- {
		if c := &a.cards[i]; c.id == e.uuid && !c.answered {
			c.answered, c.granted = true, e.granted
			a.known("")
			return
		}
	}
	if !e.granted { // its request is lost; the refusal still counts if a tool can be found
		a.cards = append(a.cards, card{id: e.uuid, tool: e.tool, call: e.call, at: e.at, answered: true, line: at.line})
		a.known("")
		return
	}
	a.known("audit permission_response without its request")
}

func (a *auditLog) takeResult(e *entry, at spot) {
	a.fresh = false
	a.known("")
	a.cost.add(e.cost)
	a.tokens.add(e.usage)
	if strings.HasPrefix(e.terminal, "aborted") {
		a.stops = append(a.stops, stop{cmp.Or(e.uuid, at.id()), e.at, at})
	}
}
