package claudecode

import (
	"bytes"
	"context"
	"fmt"
	"hash/maphash"

	"recall/ingest"
	"recall/ingest/jsonl"
)

// A parser makes drafts of turns of the records of a session's files; finish makes the session of them.
type parser struct {
	s *ingest.Session

	file  string // name of the file being read
	line  int
	off   int64
	wide  bool              // the file is text in UTF-16
	texts map[string]string // strings that repeat on every line, each held once

	seen    *seen
	nodes   []node
	byID    map[string]int32 // uuid → place in nodes
	awaited []awaited
	order   []int32 // of nodes, parents first; see settle

	drafts   []*draft
	messages map[string]*draft // by message.id
	calls    map[string]*ingest.ToolCall
	callIn   map[string]*draft // tool_use id → the draft that holds it
	orphans  map[string]orphan // results that came before their call

	kids  map[string]*parser // sub-agents' records found in the main file, by agent
	kidOf map[string]string  // uuid of such a record → its agent
	inKid bool

	spilled map[string]ingest.File // side files with whole results, by name

	meta    meta
	rec     *recordReader
	log     Log  // of the file being read, nil of a transcript
	prompts bool // it holds remembered prompts
}

// seen is what tells a line that was read before.
type seen struct {
	uuids  map[string]bool
	lines  map[uint64]bool
	hasher maphash.Seed
}

type orphan struct {
	block block
	rec   record
}

// newParser makes a parser of transcripts of size bytes, a record in every two thousand or so: its tables have that
// room.
func newParser(s *ingest.Session, size int64) *parser {
	records := min(size/1600, 1<<14)
	return &parser{
		s: s, texts: map[string]string{}, rec: newRecordReader(),
		seen:     &seen{uuids: make(map[string]bool, records), lines: map[uint64]bool{}, hasher: maphash.MakeSeed()},
		byID:     make(map[string]int32, records),
		messages: map[string]*draft{}, calls: map[string]*ingest.ToolCall{}, callIn: map[string]*draft{},
		orphans: map[string]orphan{}, kids: map[string]*parser{}, kidOf: map[string]string{},
		spilled: map[string]ingest.File{},
		meta: meta{questions: map[string][]ingest.Question{}, agents: map[string]agentMeta{},
			agentCalls: map[string]string{}, planFiles: map[string]string{}, superseded: map[string]bool{},
			goals: map[string]bool{}},
	}
}

// read takes in all lines of a file.
func (p *parser) read(ctx context.Context, f ingest.File) error {
	p.file = f.Name
	p.s.Report.Files++
	return ingest.EachLine(ctx, f, p.takeLine)
}

// takeLine accounts for one line: its records, or why it has none.
func (p *parser) takeLine(l jsonl.Line) {
	p.line, p.off = l.N, l.Offset
	if l.N == 1 {
		p.wide = bytes.HasPrefix(l.Bytes, []byte("\xff\xfe")) || bytes.HasPrefix(l.Bytes, []byte("\xfe\xff"))
	}
	l.Ended = l.Ended || p.wide // its end is none of UTF-8's
	p.s.Report.Objects(l, p.file, func(b []byte, offset int64) (rest []byte, why string) {
		if p.wide {
			return nil, "UTF-16; recall reads UTF-8"
		}
		if p.prompts {
			record, err := recordOf(b, l.N)
			if err != nil {
				return nil, err.Error()
			}
			b = record
		}
		c := jsonl.NewCursor(b)
		if c.Kind() != '{' || !p.rec.read(c) {
			return nil, ingest.NotObject(c, b)
		}
		rest = c.Rest()
		p.off, p.rec.size = offset, l.Cut
		if b = b[:len(b)-len(rest)]; p.log != nil {
			return rest, p.takeEntry(b)
		}
		p.take(&p.rec.record, b)
		return rest, ""
	})
}

func (p *parser) ignore(what string) { p.s.Report.Ignore(what) }

func (p *parser) unknown(what string) { p.s.Report.Odd(what) }

// text makes a string of raw, the same one for the same bytes.
func (p *parser) text(raw []byte) string {
	if len(raw) == 0 {
		return ""
	}
	if s, ok := p.texts[string(raw)]; ok {
		return s
	}
	s := jsonl.Unquote(raw)
	p.texts[string(raw)] = s
	return s
}

// take puts one record where it belongs.
func (p *parser) take(r *record, raw []byte) {
	rep := &p.s.Report
	if p.duplicate(r, raw) {
		if !p.saysMore(r) {
			rep.Duplicates++
			return
		}
		r.uuid, r.idText = nil, "" // that place is taken
	}
	rep.Records++
	switch string(r.kind) {
	case "user", "assistant", "system", "attachment", "progress":
		p.takeEnveloped(r)
	default:
		p.takeMeta(r)
	}
}

// duplicate reports whether the same record was read before, and remembers it.
// Bookkeeping without a uuid is never one: its last word counts.
func (p *parser) duplicate(r *record, raw []byte) bool {
	switch string(r.kind) {
	case "user", "assistant", "system", "attachment", "progress":
	default:
		return false
	}
	if len(r.uuid) > 0 {
		if p.seen.uuids[string(r.uuid)] {
			return true
		}
		p.seen.uuids[r.id()] = true
		return false
	}
	h := maphash.Bytes(p.seen.hasher, raw)
	if p.seen.lines[h] {
		return true
	}
	p.seen.lines[h] = true
	return false
}

// takeEnveloped takes the records that stand in the tree.
func (p *parser) takeEnveloped(r *record) {
	if r.sidechain && !p.inKid {
		p.takeSidechain(r)
		return
	}
	at := p.when(r)
	p.place(r)
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
	case "progress":
		p.noteProgress(r)
		p.ignore("progress")
	}
}

// takeSidechain hands a sub-agent's record in the main file to a parser of its own.
func (p *parser) takeSidechain(r *record) {
	agent := string(r.agent)
	if agent == "" {
		agent = p.kidOf[string(r.parent)]
	}
	if agent == "" {
		agent = fmt.Sprintf("sidechain-%d", len(p.kids)+1)
	}
	p.kidOf[string(r.uuid)] = agent
	p.kid(agent).takeEnveloped(r)
}

func (p *parser) kid(agent string) *parser {
	k := p.kids[agent]
	if k == nil {
		k = newParser(&ingest.Session{}, 0)
		k.inKid = true
		k.seen = p.seen
		p.kids[agent] = k
		p.meta.kidOrder = append(p.meta.kidOrder, agent)
	}
	k.file, k.line, k.off = p.file, p.line, p.off
	return k
}
