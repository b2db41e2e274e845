package claudecode

import (
	"recall/ingest"
	"time"

	"recall/ingest/jsonl"
)

// A Log is asked about each object of a file that isn't a transcript but holds messages of one, as Cowork's audit log.
// It reports whether the entry is one, to be taken as the transcript's record, or why it is of no use. It accounts for
// entries that it leaves.
type Log func(e *Entry) (message bool, why string)

// An Entry is an object of a log. What a Log changes in it is taken.
type Entry struct {
	Kind, Subtype, Session string
	UUID, Parent           string // as written; Parent is never read
	Dir, Version           string // as written
	At                     time.Time
	InAgent                bool // a sub-agent's
	Synthetic, Replay      bool // written by the client; an echo
	Spoken                 bool // there is a message in it
	Text                   string
	Results                bool   // tools' results stand in the message
	Raw                    []byte // JSON, valid only while the Log is asked
	Line                   int
	Offset                 int64
}

// takeEntry takes the object of a log that was read last as the record that it is, if the log says so.
func (p *parser) takeEntry(raw []byte) (why string) {
	r := &p.rec.record
	e := Entry{Kind: jsonl.Unquote(r.kind), Subtype: r.subtypeText(), Session: jsonl.Unquote(r.session),
		UUID: string(r.uuid), Dir: string(r.cwd), Version: string(r.version), InAgent: len(r.parentAgent) > 0,
		Synthetic: r.synthetic, Replay: r.replay, Spoken: r.spoken, Raw: raw, Line: p.line, Offset: p.off}
	for _, text := range []jsonl.Escaped{r.auditAt, r.at, r.messageAt} { // early versions wrote it into the message
		if at, ok := ingest.ParseTime(string(text)); ok {
			e.At = at
			break
		}
	}
	e.Text, e.Results = r.msg.text()
	message, why := p.log(&e)
	if !message {
		return why
	}
	r.at, r.idText = nil, ""
	if !e.At.IsZero() {
		r.at = jsonl.Escaped(e.At.Format(time.RFC3339Nano))
	}
	r.uuid, r.parent, r.logicalParent = jsonl.Escaped(e.UUID), jsonl.Escaped(e.Parent), jsonl.Escaped(e.Parent)
	r.cwd, r.version = jsonl.Escaped(e.Dir), jsonl.Escaped(e.Version)
	r.apiError = len(r.failure) > 0 && e.Kind == "assistant"
	p.take(r, raw)
	return ""
}
