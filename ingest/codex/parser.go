package codex

import (
	"hash/maphash"
	"strconv"
	"strings"
	"time"

	"recall/ingest"
	"recall/ingest/jsonl"
	"recall/text"
)

// A parser makes drafts of turns of the lines of a session's rollouts; finish makes the session of them.
type parser struct {
	s       *ingest.Session
	file    string // name of the file being read
	line    int
	off     int64
	ordinal int64
	at      time.Time // of the record being read, or the last that states one
	dir     string
	model   string
	turn    string // id of the client's turn, which is a prompt and all that is done about it
	own     header
	metas   int      // read of this file
	roots   []string // ids of the session and of those that it was copied from

	drafts []*draft
	last   *draft             // the assistant's last message, nil if there is none
	run    []*draft           // what stands under the person's name since the assistant last did something
	once   map[heard][]*draft // those of the run that one of the two has and not yet the other
	told   bool               // an event said what the person typed: what no event says, they didn't
	answer bool               // a call's result came: what the assistant does next is another message

	calls   map[string][]*ingest.ToolCall // by call id: a patch is a call for each file
	running map[string]*ingest.ToolCall   // by the id of the process that goes on
	asked   map[string][]ingest.Question
	spawned map[string]string // agent → call
	tasks   []ingest.Task
	name    string // that the person gave the thread
	context int64  // tokens last in it
	total   string // all tokens so far, as last counted
	goal    string

	before map[uint64]bool // lines of the files read before, where there are several
	here   []uint64
	seed   maphash.Seed
	many   bool
}

// A draft is a turn in the making.
type draft struct {
	turn     ingest.Turn
	said     []string
	had      map[string]bool // that was said
	thought  []string
	calls    []*ingest.ToolCall
	ordinal  int64
	client   string // its turn, as the client has it
	recorded ingest.Usage
	unsure   bool // nothing says yet that the person typed it
	dropped  bool
}

// heard is what was said under the person's name: shown by an event, or in the conversation.
type heard struct {
	said  string
	shown bool
}

func newParser(s *ingest.Session) *parser {
	return &parser{s: s, calls: map[string][]*ingest.ToolCall{}, running: map[string]*ingest.ToolCall{},
		asked: map[string][]ingest.Question{}, spawned: map[string]string{}, before: map[uint64]bool{},
		seed: maphash.MakeSeed()}
}

// takeLine accounts for one line.
func (p *parser) takeLine(l jsonl.Line) {
	p.line = l.N
	rep := &p.s.Report
	rep.Objects(l, p.file, func(b []byte, at int64) (rest []byte, why string) {
		c := jsonl.NewCursor(b)
		r, ok := readRecord(c, b)
		if !ok {
			return nil, ingest.NotObject(c, b)
		}
		rest = c.Rest()
		p.off = at
		if p.many {
			h := maphash.Bytes(p.seed, b[:len(b)-len(rest)])
			p.here = append(p.here, h)
			if p.before[h] {
				rep.Duplicates++
				return rest, ""
			}
		}
		rep.Records++
		p.take(r)
		return rest, ""
	})
}

// ignored are types of records, items and events that hold nothing for us, or say again what others do.
var ignored = map[string]bool{
	"world_state": true, "inter_agent_communication_metadata": true, "retained_context": true,
	"security_risk_score": true, "state": true, "realtime_item": true,

	"event agent_message": true, "event agent_reasoning": true, "event agent_reasoning_raw_content": true,
	"event agent_reasoning_section_break": true, "event task_complete": true, "event turn_complete": true,
	"event context_compacted": true, "event entered_review_mode": true, "event exited_review_mode": true,
	"event web_search_end": true, "event image_generation_end": true, "event view_image_tool_call": true,
	"event thread_settings_applied": true, "event session_configured": true, "event undo_completed": true,
	"event background_event": true, "event warning": true, "event plan_update": true, "event turn_diff": true,
	"event exec_command_begin": true, "event patch_apply_begin": true, "event mcp_tool_call_begin": true,
	"event exec_command_output_delta": true, "event exec_approval_request": true,
	"event apply_patch_approval_request": true, "event stream_error": true, "event shutdown_complete": true,

	"item AgentMessage": true, "item Reasoning": true, "item WebSearch": true, "item Extension": true,
	"item ContextCompaction": true, "item HookPrompt": true, "item FunctionCallOutput": true,
	"item SubAgentActivity": true, "item ImageGeneration": true, "item ImageView": true, "item Sleep": true,
	"item CollabAgentToolCall": true, "item EnteredReviewMode": true, "item ExitedReviewMode": true,
}

// known handles what there is of a kind by name, or says that it doesn't know it.
func (p *parser) known(name string) {
	if ignored[name] {
		p.s.Report.Ignore(name)
		return
	}
	p.s.Report.Odd(name)
}

func (p *parser) take(r record) {
	if !r.at.IsZero() {
		p.at = r.at
	}
	p.ordinal = r.ordinal
	switch r.kind {
	case "session_meta":
		p.takeHeader(readHeader(r.payload))
	case "turn_context":
		jsonl.Read(r.payload, jsonl.Fields{"turn_id": &p.turn, "cwd": &p.dir, "model": &p.model})
		if p.dir != "" {
			p.s.CountDir(p.dir, 0)
		}
	case "response_item":
		if take := items[r.inner]; take != nil {
			take(p, r.payload)
			return
		}
		p.known("response_item " + r.inner)
	case "event_msg":
		if take := events[r.inner]; take != nil {
			take(p, r.payload)
			return
		}
		p.known("event " + r.inner)
	case "compacted":
		p.takeCompaction(r.payload)
	case "inter_agent_communication":
		p.takeAgentMessage(r.payload)
	case "token_usage_record":
		p.takeUsageRecord(r.payload)
	case "":
		p.known("(no type)")
	default:
		p.known(r.kind)
	}
}

// takeHeader takes a session_meta: the first is the session's own, those behind it came with what was copied.
func (p *parser) takeHeader(h header) {
	if p.metas++; p.metas > 1 {
		if h.id != "" && h.id != p.own.id {
			p.roots = ingest.Union(p.roots, h.id)
			if p.s.Parent == nil {
				p.s.Parent = &ingest.Parent{Session: ingest.SessionID(h.id), How: ingest.HowBranch}
			}
		}
		return
	}
	p.s.Versions = union(p.s.Versions, h.version)
	if h.base != "" && h.base == h.id { // the thread was taken back to where this file goes on from
		for _, d := range p.drafts {
			d.turn.Abandoned = d.turn.Abandoned || d.ordinal >= h.before
		}
	}
	if p.own.id != "" {
		return // of a further file
	}
	p.own, p.dir = h, h.cwd
	p.roots = union(p.roots, h.id, h.forkedFrom)
	if at, ok := ingest.ParseTime(h.at); ok {
		p.s.Born = at
		if p.at.IsZero() {
			p.at = at
		}
	}
	if h.cwd != "" {
		p.s.CountDir(h.cwd, 0)
	}
	if h.branch != "" && h.branch != "HEAD" {
		p.s.Where.Branch, p.s.Where.Branches = h.branch, []string{h.branch}
	}
	if h.forkedFrom != "" && h.forkedFrom != string(p.s.ID) {
		p.s.Parent = &ingest.Parent{Session: ingest.SessionID(h.forkedFrom), How: ingest.HowBranch}
	}
}

// union adds what is not empty.
func union(list []string, more ...string) []string {
	for _, s := range more {
		if s != "" {
			list = ingest.Union(list, s)
		}
	}
	return list
}

// id names a record by its place: few have another.
func (p *parser) id() string {
	id := "L" + strconv.Itoa(p.line)
	if stem := strings.TrimSuffix(p.file, ".zst"); stem != mainName {
		id = stem + ":" + id
	}
	return id
}

// draft begins a turn.
func (p *parser) draft(role ingest.Role, kind ingest.TurnKind, text string) *draft {
	id := p.id()
	if k := len(p.drafts); k > 0 && p.drafts[k-1].turn.Line == p.line && p.drafts[k-1].turn.File == p.file {
		id += "b" + strconv.Itoa(k) // a further one on the line
	}
	d := &draft{ordinal: p.ordinal, client: p.turn, turn: ingest.Turn{ID: ingest.TurnID(id), Records: []string{id},
		Role: role, Kind: kind, Text: ingest.ClippedText(text), At: p.at, Dir: p.dir, From: "transcript", File: p.file,
		Line: p.line, Offset: p.off}}
	p.drafts = append(p.drafts, d)
	return d
}

// message is the assistant's that goes on, or a new one.
func (p *parser) message() *draft {
	p.settleRun()
	if k := len(p.drafts) - 1; k >= 0 && p.drafts[k].turn.Kind == ingest.Message && !p.answer {
		return p.drafts[k]
	}
	p.answer = false
	d := p.draft(ingest.Assistant, ingest.Message, "")
	d.turn.Model, p.last = p.model, d
	return d
}

func (p *parser) takeCompaction(payload []byte) {
	p.settleRun()
	var summary string
	jsonl.Read(payload, jsonl.Fields{"message": &summary})
	_, own, framed := strings.Cut(summary, "\n")
	if framed && strings.HasPrefix(summary, handedOver) {
		summary = own
	}
	made := ingest.Compaction{Before: p.context, At: p.at, Line: p.line}
	if summary = strings.TrimSpace(summary); summary != "" {
		made.Summary = p.draft(ingest.Assistant, ingest.Summary, summary).turn.ID
	}
	p.s.Compactions = append(p.s.Compactions, made)
	p.answer = true
}

// finish makes the session of all that was read.
func (p *parser) finish() {
	p.settleRun()
	s := p.s
	p.agree()
	var turns []*ingest.Turn
	nth, chain := map[string]int{}, ""
	for _, d := range p.drafts {
		if d.dropped {
			continue
		}
		p.finishDraft(d)
		t := &d.turn
		if t.Silent() {
			continue
		}
		chain = text.Hash(chain+"\n"+string(t.Kind)+"\n"+t.Text, 12)
		if nth[d.client]++; len(d.client) == 36 {
			t.Keys = []string{"c:" + d.client + ":" + strconv.Itoa(nth[d.client])}
		} else {
			for _, root := range p.roots {
				t.Keys = append(t.Keys, "h:"+root+":"+chain)
			}
		}
		turns = append(turns, t)
	}
	p.drafts, p.calls = nil, nil
	s.Finish(turns, p.name, "custom-title", imageOnly)
	s.Tasks = p.tasks
	if p.own.id != "" && p.own.id != string(s.ID) {
		s.Aliases = append(s.Aliases, ingest.SessionID(p.own.id))
	}
	s.NoteNewer(KnownVersion)
}

func (p *parser) finishDraft(d *draft) {
	t := &d.turn
	if t.Kind == ingest.Message {
		t.Text = ingest.ClippedText(strings.Join(d.said, "\n\n"))
		t.Thinking = ingest.ClippedText(strings.Join(d.thought, "\n\n"))
	}
	for _, c := range d.calls {
		t.Calls = append(t.Calls, *c)
	}
	if d.recorded != (ingest.Usage{}) {
		t.Usage = d.recorded
	}
}

// agree marks the plans that the person agreed to: the client then sends a sentence of its own in their name.
func (p *parser) agree() {
	var plan *ingest.ToolCall
	for _, d := range p.drafts {
		if d.dropped {
			continue
		}
		if d.turn.Kind == ingest.Prompt {
			if plan != nil && strings.HasPrefix(d.turn.Text, planAgreed) {
				plan.Verdict = ingest.Approved
				if rest := d.turn.Text[len(planAgreed):]; rest == "" || strings.HasPrefix(rest, planGoal) {
					d.turn.Kind, d.turn.Name = ingest.Event, "plan agreed to"
				}
			}
			plan = nil
		}
		for _, c := range d.calls {
			if c.Plan != nil {
				plan = c
			}
		}
	}
}
