package codex

import (
	"hash/maphash"
	"strconv"
	"strings"
	"time"

	"recall/ingest"
	"recall/ingest/jsonl"
	"recall/internal/text"
)

// A parser turns the lines of a session's rollouts into drafts of turns; finish builds the session from them.
type parser struct {
	s       *ingest.Session
	file    string // name of the file being read
	line    int
	ordinal int64
	at      time.Time // of the record being read, or the last one stated
	dir     string
	model   string
	turn    string // id of the client's turn, which is a prompt and everything done about it
	own     header
	metas   int      // number of session_meta records in this file
	roots   []string // ids of the session and of those it was copied from

	drafts []*draft
	last   *draft             // the assistant's last message, nil if there is none
	run    []*draft           // user messages since the assistant last did something
	once   map[heard][]*draft // those of the run that only the conversation or only an event has so far
	told   bool               // events report what the person typed, so anything else wasn't typed
	answer bool               // a call's result came, so the assistant's next text is a new message

	calls   map[string][]*ingest.ToolCall // by call id: a patch is one call per file
	running map[string]*ingest.ToolCall   // by the id of the process that still runs
	asked   map[string][]ingest.Question
	spawned map[string]string // agent → call
	tasks   []ingest.Task
	name    string // given to the thread by the person
	total   string // all tokens so far, as last counted
	goal    string
	mode    string // in which the client's turn began: "plan", …

	before map[uint64]bool // lines of the files already read, if there are several
	here   []uint64
	seed   maphash.Seed
	many   bool
}

// A draft is a turn under construction.
type draft struct {
	turn     ingest.Turn
	said     []string
	had      map[string]bool // the elements of said
	calls    []*ingest.ToolCall
	ordinal  int64
	client   string // id of the client's turn
	recorded ingest.Usage
	planning bool // it was said in plan mode
	unsure   bool // nothing shows yet that the person typed it
	dropped  bool
}

// heard is a user message, either from an event (shown) or from the conversation.
type heard struct {
	said  string
	shown bool
}

func newParser(s *ingest.Session) *parser {
	return &parser{s: s, calls: map[string][]*ingest.ToolCall{}, running: map[string]*ingest.ToolCall{},
		asked: map[string][]ingest.Question{}, spawned: map[string]string{}, before: map[uint64]bool{},
		seed: maphash.MakeSeed()}
}

func (p *parser) takeLine(l jsonl.Line) {
	p.line = l.N
	rep := &p.s.Report
	rep.Objects(l, p.file, func(b []byte) (rest []byte, why string) {
		c := jsonl.NewCursor(b)
		r, ok := readRecord(c, b)
		if !ok {
			return nil, ingest.NotObject(c, b)
		}
		rest = c.Rest()
		if p.many {
			h := maphash.Bytes(p.seed, b[:len(b)-len(rest)])
			p.here = append(p.here, h)
			if p.before[h] {
				rep.Duplicates++
				return rest, ""
			}
		}
		rep.Records++
		p.takeRecord(r)
		return rest, ""
	})
}

// ignored are types of records, items and events that hold nothing to keep, or repeat others.
var ignored = text.Set(`world_state inter_agent_communication_metadata retained_context security_risk_score state
	realtime_item response_item/ghost_snapshot response_item/compaction response_item/compaction_summary
	response_item/context_compaction response_item/additional_tools response_item/configuration_update

	event/agent_message event/agent_reasoning event/agent_reasoning_raw_content event/agent_reasoning_section_break
	event/task_complete event/turn_complete event/context_compacted event/entered_review_mode
	event/exited_review_mode event/web_search_end event/image_generation_end event/view_image_tool_call
	event/thread_settings_applied event/session_configured event/undo_completed event/background_event event/warning
	event/plan_update event/turn_diff event/exec_command_begin event/patch_apply_begin event/mcp_tool_call_begin
	event/exec_command_output_delta event/exec_approval_request event/apply_patch_approval_request event/stream_error
	event/shutdown_complete

	item/AgentMessage item/Reasoning item/WebSearch item/Extension item/ContextCompaction item/HookPrompt
	item/FunctionCallOutput item/SubAgentActivity item/ImageGeneration item/ImageView item/Sleep
	item/CollabAgentToolCall item/EnteredReviewMode item/ExitedReviewMode`)

// known counts what isn't read, unless it is known.
func (p *parser) known(name string) {
	if !ignored[strings.Replace(name, " ", "/", 1)] {
		p.s.Report.CountUnknown(name)
	}
}

func (p *parser) takeRecord(r record) {
	if !r.at.IsZero() {
		p.at = r.at
	}
	p.ordinal = r.ordinal
	switch r.kind {
	case "session_meta":
		p.takeHeader(readHeader(r.payload))
	case "turn_context":
		jsonl.ReadFields(r.payload, jsonl.Fields{"turn_id": &p.turn, "cwd": &p.dir, "model": &p.model})
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

// takeHeader takes a session_meta: the first is the session's own, later ones came with copied lines.
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
	if h.base != "" && h.base == h.id { // the thread was rewound to where this file continues
		for _, d := range p.drafts {
			d.turn.Abandoned = d.turn.Abandoned || d.ordinal >= h.before
		}
	}
	if p.own.id != "" {
		return // of another file
	}
	p.own, p.dir = h, h.cwd
	p.roots = ingest.Union(p.roots, h.id, h.forkedFrom)
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
		p.s.Where.Branch = h.branch
	}
	if h.forkedFrom != "" && h.forkedFrom != string(p.s.ID) {
		p.s.Parent = &ingest.Parent{Session: ingest.SessionID(h.forkedFrom), How: ingest.HowBranch}
	}
}

// id names a record by its position, as few have an id.
func (p *parser) id() string {
	id := "L" + strconv.Itoa(p.line)
	if stem := strings.TrimSuffix(p.file, ".zst"); stem != ingest.MainName {
		id = stem + ":" + id
	}
	return id
}

// draft begins a turn.
func (p *parser) draft(role ingest.Role, kind ingest.TurnKind, text string) *draft {
	id := p.id()
	if k := len(p.drafts); k > 0 && p.drafts[k-1].turn.Line == p.line && p.drafts[k-1].turn.File == p.file {
		id += "b" + strconv.Itoa(k) // another one on the same line
	}
	d := &draft{ordinal: p.ordinal, client: p.turn, planning: p.mode == "plan"}
	d.turn = ingest.Turn{ID: ingest.TurnID(id), Records: []string{id}, Role: role, Kind: kind,
		Text: ingest.ClippedText(text), At: p.at, Dir: p.dir, File: p.file, Line: p.line}
	p.drafts = append(p.drafts, d)
	return d
}

// message returns the assistant's current message, or a new one.
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
	jsonl.ReadFields(payload, jsonl.Fields{"message": &summary})
	_, own, framed := strings.Cut(summary, "\n")
	if framed && strings.HasPrefix(summary, handedOver) {
		summary = own
	}
	if summary = strings.TrimSpace(summary); summary != "" {
		p.draft(ingest.Assistant, ingest.Summary, summary)
	}
	p.answer = true
}

func (p *parser) finish() {
	p.settleRun()
	s := p.s
	p.approvePlans()
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
	s.Finish(turns, p.name)
	s.Tasks = p.tasks
	if p.own.id != "" && p.own.id != string(s.ID) {
		s.Aliases = append(s.Aliases, ingest.SessionID(p.own.id))
	}
}

func (p *parser) finishDraft(d *draft) {
	t := &d.turn
	if t.Kind == ingest.Message {
		t.Text = ingest.ClippedText(strings.Join(d.said, "\n\n"))
	}
	for _, c := range d.calls {
		t.Calls = append(t.Calls, *c)
	}
	if d.recorded != (ingest.Usage{}) {
		t.Usage = d.recorded
	}
}

// approvePlans marks the plans that the person agreed to, whereupon the client sends a sentence of its own in their
// name, and those that they didn't, whereupon they say why and it stays in plan mode.
func (p *parser) approvePlans() {
	var plan *ingest.ToolCall
	for _, d := range p.drafts {
		if d.dropped {
			continue
		}
		if d.turn.Kind == ingest.Prompt {
			if plan != nil && d.planning {
				plan.Verdict, plan.Reason, plan.ReasonTurn = ingest.Rejected, d.turn.Text, d.turn.ID
			}
			if plan != nil && strings.HasPrefix(d.turn.Text, planAgreed) {
				plan.Verdict, plan.Reason, plan.ReasonTurn = ingest.Approved, "", ""
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
