package claudecode

import (
	"cmp"
	"strconv"
	"time"

	"recall/ingest"
	"recall/internal/text"
)

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
