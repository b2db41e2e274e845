package claudecode

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"recall/ingest"
	"recall/ingest/jsonl"
	"recall/internal/text"
)

// A parser turns the records of a session's files into drafts of turns; finish builds the session from them.
type parser struct {
	s *ingest.Session

	file string // name of the file being read
	line int

	seen     map[string]bool // uuids and times of what was read before; sub-agents' parsers share it
	nodes    []node
	byID     map[string]int32 // uuid → index in nodes
	awaited  []awaited
	order    []int32 // of nodes, parents first; see linkParents
	repaired int     // parents that are nowhere, or in a loop

	drafts   []*draft
	messages map[string]*draft // by message.id
	calls    map[string]*ingest.ToolCall
	callIn   map[string]*draft // tool_use id → the draft that holds it
	orphans  map[string]orphan // results that came before their call
	ran      *draft            // the command that the person ran last, until its output was read

	subParsers    map[string]*parser // sub-agents' records found in the main file, by agent
	agentOfRecord map[string]string  // uuid of such a record → its agent
	isSub         bool

	spilled map[string]ingest.File // side files with whole results, by their last names

	meta    meta
	rec     *recordReader
	log     Log  // of the file being read, nil for a transcript
	prompts bool // the file holds remembered prompts
}

type orphan struct {
	block block
	rec   record
}

func newParser(s *ingest.Session) *parser {
	return &parser{
		s: s, rec: newRecordReader(), seen: map[string]bool{}, byID: map[string]int32{},
		messages: map[string]*draft{}, calls: map[string]*ingest.ToolCall{}, callIn: map[string]*draft{},
		orphans: map[string]orphan{}, subParsers: map[string]*parser{}, agentOfRecord: map[string]string{},
		spilled: map[string]ingest.File{},
		meta: meta{questions: map[string][]ingest.Question{}, agents: map[string]ingest.Subagent{},
			superseded: map[string]bool{}, goals: map[string]bool{}, scheduled: map[string]bool{}},
	}
}

func (p *parser) readFile(ctx context.Context, f ingest.File) error {
	p.file = f.Name
	return ingest.EachLine(ctx, f, p.takeLine)
}

// takeLine accounts for one line: its records, or why it has none.
func (p *parser) takeLine(l jsonl.Line) {
	p.line = l.N
	p.s.Report.Objects(l, p.file, func(b []byte) (rest []byte, why string) {
		if p.prompts {
			record, err := recordOf(b, l.N)
			if err != nil {
				return nil, err.Error()
			}
			b = record
		}
		c := jsonl.NewCursor(b)
		if c.Kind() != '{' || !p.rec.readRecord(c) {
			return nil, ingest.NotObject(c, b)
		}
		rest = c.Rest()
		p.rec.size = l.Cut
		if b = b[:len(b)-len(rest)]; p.log != nil {
			return rest, p.takeEntry(b)
		}
		p.takeRecord(&p.rec.record)
		return rest, ""
	})
}

func (p *parser) unknown(what string) { p.s.Report.CountUnknown(what) }

func (p *parser) takeRecord(r *record) {
	rep := &p.s.Report
	tree := inTree[string(r.kind)]
	if tree && len(r.uuid) > 0 { // of bookkeeping, and of what has no uuid, the last record counts
		if p.seen[string(r.uuid)] {
			rep.Duplicates++
			return
		}
		p.seen[r.id()] = true
	}
	rep.Records++
	if tree {
		p.takeEnveloped(r)
	} else {
		p.takeMeta(r)
	}
}

// inTree are the types of records that form the conversation's tree.
var inTree = text.Set("user assistant system attachment progress")

// takeEnveloped takes the records in the tree.
func (p *parser) takeEnveloped(r *record) {
	if r.sidechain && !p.isSub {
		p.takeSidechain(r)
		return
	}
	at, _ := ingest.ParseTime(string(r.at)) // zero if it is missing or invalid
	p.noteContext(r)
	n := p.addNode(r)
	switch string(r.kind) {
	case "user":
		p.takeUser(r, n, at)
	case "assistant":
		p.takeAssistant(r, n, at)
	case "system":
		p.takeSystem(r, n, at)
	case "attachment":
		p.takeAttachment(r, n, at)
	}
}

// takeSidechain passes a sub-agent's record in the main file to a separate parser.
func (p *parser) takeSidechain(r *record) {
	agent := string(r.agent)
	if agent == "" {
		agent = p.agentOfRecord[string(r.parent)]
	}
	if agent == "" {
		agent = fmt.Sprintf("sidechain-%d", len(p.subParsers)+1)
	}
	p.agentOfRecord[string(r.uuid)] = agent
	p.subParser(agent).takeEnveloped(r)
}

func (p *parser) subParser(agent string) *parser {
	k := p.subParsers[agent]
	if k == nil {
		k = newParser(&ingest.Session{})
		k.isSub = true
		k.seen = p.seen
		p.subParsers[agent] = k
		p.meta.agentOrder = append(p.meta.agentOrder, agent)
	}
	k.file, k.line = p.file, p.line
	return k
}

// A draft is a turn under construction.
type draft struct {
	turn    ingest.Turn
	node    int32 // -1 if its record has no uuid
	parts   []part
	counted bool // it came with its usage
	ended   bool // one of its lines said end_turn
}

// part is a block of an assistant's message.
type part struct {
	text string
	call *ingest.ToolCall // nil for text
	size int              // of a call's input in the file
}

// lineID names a turn by its position, where its record has no id.
func lineID(file string, line int) ingest.TurnID {
	id := ingest.TurnID("L" + strconv.Itoa(line))
	if file != ingest.MainName {
		id = ingest.TurnID(file) + ":" + id
	}
	return id
}

// draft begins a turn from a record.
func (p *parser) draft(r *record, n int32, at time.Time, role ingest.Role, kind ingest.TurnKind) *draft {
	d := &draft{node: n}
	t := &d.turn
	t.ID = ingest.TurnID(r.id())
	if t.ID == "" {
		t.ID = lineID(p.file, p.line)
	}
	if len(r.uuid) > 0 {
		t.Records = []string{string(t.ID)}
	}
	t.Role, t.Kind, t.At = role, kind, at
	t.Dir, t.File, t.Line = p.meta.dir, p.file, p.line
	p.drafts = append(p.drafts, d)
	return d
}

// keysOf returns a record's identities: its uuid (the original's, if known), and its time and text, which survive a
// copy with new uuids.
func keysOf(r *record, at time.Time, said string) []string {
	var keys []string
	if id := cmp.Or(string(r.forkUUID), string(r.uuid)); id != "" {
		keys = append(keys, "u:"+id)
	}
	if !at.IsZero() && said != "" {
		keys = append(keys, timeKey(at, said))
	}
	return keys
}

func timeKey(at time.Time, said string) string {
	return "t:" + strconv.FormatInt(at.UnixMilli(), 36) + ":" + text.Hash(said, 8)
}
