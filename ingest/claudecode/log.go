package claudecode

import (
	"encoding/json"
	"time"

	"recall/ingest/jsonl"
)

// A Log reads an object of a file that isn't a transcript and has messages of one in
// it, as Cowork's audit log has: what it gives is taken as the record of a transcript.
// It returns what follows the object, nil where there is none, and says why it is of no
// use, if it isn't. It accounts for an object of which it gives nothing.
type Log func(b []byte, line int, offset int64, give func(*Message) (why string)) (rest []byte, why string)

// A Message is what a log tells of one.
type Message struct {
	Kind, Subtype, UUID, Parent, Session string
	Dir, Version                         string // see record
	At                                   time.Time
	Content                              []byte // raw JSON, as all that follow; empty if there is none
	Origin, ToolResult, Compact          []byte
	Meta, Failed                         bool // written by the client; in the place of an answer that failed
}

// takeMessage takes a message as the record that it would be, or says why it can't.
func (p *parser) takeMessage(m *Message, raw []byte) (why string) {
	r := p.rec
	r.record = record{
		kind: escaped(m.Kind), subtype: escaped(m.Subtype), uuid: escaped(m.UUID), session: escaped(m.Session),
		parent: escaped(m.Parent), logicalParent: escaped(m.Parent), cwd: escaped(m.Dir), version: escaped(m.Version),
		toolResult: m.ToolResult, compact: m.Compact, meta: m.Meta, apiError: m.Failed,
		msg: message{blocks: r.msg.blocks[:0]},
	}
	if !m.At.IsZero() {
		r.at = jsonl.Escaped(m.At.Format(time.RFC3339Nano))
	}
	jsonl.NewCursor(m.Origin).Fields(jsonl.Fields{"kind": &r.origin})
	if len(m.Content) > 0 {
		r.c = jsonl.NewCursor(m.Content)
		r.readMessage()
		if r.c.Err() != nil {
			return Reason(r.c, m.Content)
		}
	}
	p.take(&r.record, raw)
	return ""
}

func escaped(s string) jsonl.Escaped {
	b, _ := json.Marshal(s) // of a string there is no error
	return b[1 : len(b)-1]
}
