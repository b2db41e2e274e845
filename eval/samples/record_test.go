package samples

import (
	"fmt"
	"strings"
	"time"
)

// A session is a script told: its records in order of writing.
type session struct {
	*script
	id      string // of the transcript
	records []*record
	files   map[string]string // beside the transcript, by path below its folder: sub-agents
	plans   map[string]string // plan files by name
	uploads map[string]string // Cowork
	outputs map[string]string // Cowork
	first   string            // first prompt
	last    string            // last prompt
	end     time.Time
}

// A record is one line of a transcript.
type record struct {
	typ     string // user, assistant, system, attachment; "" for a line without envelope
	uuid    string
	parent  string
	at      time.Time
	before  object // fields that stand before type
	message object // of user and assistant
	after   object // fields that stand after the time
	bare    object // the whole line, if typ is ""

	// What the Cowork audit log says of it.
	call    *call // tool call of an assistant record, tool result of a user record
	result  any   // toolUseResult
	typed   string
	answer  bool // the record ends a turn: a result line follows
	asked   bool // the call was put before the person
	allowed bool
}

// A call is a tool call as the script has it.
type call struct {
	id, name string
	input    object
	uuid     string // of the assistant record
}

// scribe writes records down: it keeps the clock, the chain and the ids.
type scribe struct {
	s       *session
	all     map[string]*script
	now     time.Time
	tip     string // uuid of the last record of the chain
	seen    map[string]int
	prompt  string // promptId
	mode    string // permission mode
	model   string
	message string   // id of the assistant's open message, ""
	open    []*call  // calls of the open message whose results are due
	results []func() // writes them
	context int      // tokens read from cache
	tasks   int
	count   int // messages of the turn
	began   time.Time
	marks   map[string]mark
}

type mark struct {
	tip     string
	records int
}

// tell plays a script.
func tell(s *script, all map[string]*script) (*session, error) {
	start, err := time.Parse(time.RFC3339, s.head["start"])
	if err != nil {
		return nil, fmt.Errorf("demo %s: start: %w", s.name, err)
	}
	w := &scribe{
		s: &session{script: s, id: uuid("session", s.name), files: map[string]string{}, plans: map[string]string{},
			uploads: map[string]string{}, outputs: map[string]string{}},
		all: all, now: start, seen: map[string]int{}, mode: "default", model: s.head["model"],
		context: 17000, marks: map[string]mark{},
	}
	if from := s.head["fork"]; from != "" {
		if err := w.copyFrom(from, s.head["cut"]); err != nil {
			return nil, err
		}
	}
	for i, b := range s.blocks {
		var next *block
		if i+1 < len(s.blocks) {
			next = &s.blocks[i+1]
		}
		if err := w.block(b, next); err != nil {
			return nil, fmt.Errorf("demo %s:%d: @%s: %w", s.name, b.line, b.verb, err)
		}
	}
	w.closeMessage()
	w.endTurn()
	w.tail()
	w.s.end = w.now
	return w.s, nil
}

// copyFrom begins a fork: the parent's records up to a mark with the same uuids
// under the new session's id, as `--resume ID --fork-session` writes them.
func (w *scribe) copyFrom(name, cut string) error {
	parent := w.all[name]
	if parent == nil {
		return fmt.Errorf("demo %s: fork of unknown %q", w.s.name, name)
	}
	until := *parent
	for i, b := range parent.blocks {
		if b.verb == "mark" && b.arg == cut {
			until.blocks = parent.blocks[:i]
			told, err := tell(&until, w.all)
			if err != nil {
				return err
			}
			for _, r := range told.records {
				if r.typ != "" {
					w.s.records = append(w.s.records, r)
					w.tip = r.uuid
				}
			}
			w.s.first = told.first
			return nil
		}
	}
	return fmt.Errorf("demo %s: no mark %q in %s", w.s.name, cut, name)
}

// uuid names a record by its content, so that a change elsewhere in the script
// leaves it alone; what is said twice is counted.
func (w *scribe) uuid(parts ...string) string {
	key := strings.Join(parts, "\x00")
	w.seen[key]++
	return uuid(w.s.name, key, fmt.Sprint(w.seen[key]))
}

// pass lets between lo and hi seconds go by.
func (w *scribe) pass(lo, hi int) {
	w.now = w.now.Add(time.Duration(between(lo*1000, hi*1000, w.s.name, fmt.Sprint(len(w.s.records)))) * time.Millisecond)
}

// chain adds a record below the tip.
func (w *scribe) chain(r *record) *record {
	r.parent, r.at = w.tip, w.now
	w.tip = r.uuid
	w.s.records = append(w.s.records, r)
	w.count++
	return r
}

func (w *scribe) bare(pairs ...any) {
	w.s.records = append(w.s.records, &record{at: w.now, bare: obj(pairs...)})
}

func (w *scribe) attach(kind string, pairs ...any) {
	a := append(obj("type", kind), obj(pairs...)...)
	w.chain(&record{typ: "attachment", uuid: w.uuid("attachment", kind), before: obj("attachment", a)})
}
