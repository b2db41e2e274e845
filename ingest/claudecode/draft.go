package claudecode

import (
	"strconv"
	"time"

	"recall/ingest"
)

// A draft is a turn in the making.
type draft struct {
	turn    ingest.Turn
	node    int32 // -1 if its record has no uuid
	parts   []part
	counted bool // its usage came with it
	ended   bool // a line of it said end_turn
}

// part is a block of an assistant's message.
type part struct {
	kind string // text, thinking, tool_use
	text string
	call *ingest.ToolCall
	size int // of a call's input as written
}

// lineID names a turn by its place, where its record has no id.
func lineID(file string, line int) ingest.TurnID {
	id := ingest.TurnID("L" + strconv.Itoa(line))
	if file != mainName {
		id = ingest.TurnID(file) + ":" + id
	}
	return id
}

// saidBy notes which turn a record is of.
func (p *parser) saidBy(n int32, d *draft) {
	if n >= 0 {
		p.nodes[n].said = d
	}
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
	t.Dir, t.From = p.meta.dir, "transcript"
	t.File, t.Line, t.Offset = p.file, p.line, p.off
	p.drafts = append(p.drafts, d)
	p.saidBy(n, d)
	return d
}
