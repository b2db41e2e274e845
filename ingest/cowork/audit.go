package cowork

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
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

// sameTime is how far apart the app and the CLI can log the same message.
const sameTime = 5 * time.Minute

const (
	cardTime = 5 * time.Second  // between a call and its card, if their inputs differ
	stopTime = 10 * time.Second // between Stop and the CLI's line about it
)

// addAppEvents adds what the app recorded apart from messages: the person's clicks, and Stop.
func addAppEvents(s *ingest.Session, log *auditLog) {
	applyCards(s, log.cards)
	for _, id := range log.denied {
		for _, c := range ingest.EachCall(s.Turns) {
			if c.ID == id && id != "" && c.Verdict == ingest.Unasked {
				c.Verdict = ingest.Denied
			}
		}
	}
	for _, st := range log.stops {
		addStop(s, st, log.name)
	}
}

// callPlace is the position of a call among the turns.
type callPlace struct{ turn, call int }

// applyCards turns answered cards into verdicts. Refusals in the transcript stand.
func applyCards(s *ingest.Session, cards []card) {
	taken := map[callPlace]bool{}
	for i := range cards {
		c := &cards[i]
		if !c.answered {
			continue
		}
		at, ok := callOf(s, c, taken)
		if !ok {
			if !c.granted {
				refusedUnseen(s, c)
			}
			continue
		}
		taken[at] = true
		call := &s.Turns[at.turn].Calls[at.call]
		switch {
		case call.Verdict != ingest.Unasked:
		case c.granted && call.Name != "AskUserQuestion":
			call.Verdict = ingest.Approved
		case !c.granted:
			call.Verdict = ingest.Rejected
			ingest.BindReason(call, s.Turns[at.turn].Abandoned, s.Turns[at.turn+1:])
		}
	}
}

// callOf finds the call that a card asked about: the nearest with the same tool and input, else the tool's only one
// nearby.
func callOf(s *ingest.Session, c *card, taken map[callPlace]bool) (callPlace, bool) {
	var best, near callPlace
	bestGap, nears := time.Duration(-1), 0
	for i := range s.Turns {
		t := &s.Turns[i]
		for j := range t.Calls {
			call := &t.Calls[j]
			at := callPlace{i, j}
			if c.call != "" && call.ID == c.call {
				return at, true
			}
			if taken[at] || call.Name != c.tool {
				continue
			}
			gap := c.at.Sub(t.At).Abs()
			if sameInput(call.Input, c.input) && (bestGap < 0 || gap < bestGap) {
				best, bestGap = at, gap
			}
			if gap <= cardTime {
				near, nears = at, nears+1
			}
		}
	}
	if bestGap >= 0 {
		return best, true
	}
	return near, nears == 1
}

// sameInput compares inputs, ignoring white space.
func sameInput(a, b map[string]string) bool {
	return maps.EqualFunc(a, b, func(v, w string) bool { return v == w || noSpace(v) == noSpace(w) })
}

func noSpace(s string) string { return strings.Join(strings.Fields(s), "") }

// refusedUnseen keeps a refusal whose call is missing as a call of the message before it.
func refusedUnseen(s *ingest.Session, c *card) {
	for i := len(s.Turns) - 1; i >= 0; i-- {
		t := &s.Turns[i]
		if t.Kind != ingest.Message || t.At.After(c.at) {
			continue
		}
		call := ingest.ToolCall{ID: c.id, Name: c.tool, Input: c.input, Command: c.input["command"],
			Path: c.input["file_path"], Done: true, Failed: true, At: c.at, ResultTurn: t.ID, Verdict: ingest.Rejected}
		ingest.BindReason(&call, t.Abandoned, s.Turns[i+1:])
		t.Calls = append(t.Calls, call)
		return
	}
}

// addStop adds the person's Stop as a turn, unless the transcript has one within seconds or at that point.
func addStop(s *ingest.Session, st stop, file string) {
	at := len(s.Turns)
	for at > 0 && s.Turns[at-1].At.After(st.at) && !st.at.IsZero() {
		at--
	}
	for i := range s.Turns {
		t := &s.Turns[i]
		if t.Kind == ingest.Interrupt && (t.At.Sub(st.at).Abs() <= stopTime || i == at-1) {
			return
		}
	}
	s.Turns = slices.Insert(s.Turns, at, ingest.Turn{
		ID: ingest.TurnID(st.id), Records: []string{st.id}, Role: ingest.User, Kind: ingest.Interrupt, At: st.at,
		Text: "[Stopped by the person]", File: file, Line: st.line,
	})
	if st.at.After(s.End) {
		s.End = st.at
	}
}
