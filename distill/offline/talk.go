package offline

import (
	"slices"
	"strings"

	"recall/ingest"
	"recall/prompts"
)

// source is the origin of a speech.
type source uint8

const (
	typing   source = iota // typed by a person
	refusing               // a person's words when refusing a call
	message                // the assistant's message
	plan                   // a plan that the person approved
	commit                 // a commit message
	summary                // what the client wrote when it compacted its context
)

// A speech is one utterance: a turn's text, or a text in one of its calls.
type speech struct {
	turn     *ingest.Turn
	text     string
	source   source
	user     bool
	closing  bool    // the assistant's last message before the person speaks again
	last     bool    // the closing message of the session
	exchange int     // 0-based number of the exchange it belongs to
	asks     *speech // for the assistant: the person's words that it follows, or nil
	reacts   *speech // for a person: the closing message that it answers, or nil
	reaction *speech // for a closing message: what the person said next, or nil
	work     bool    // files were changed or commits made in its exchange
	parts    []sentence
	from     int // position of its first sentence in the talk

	keys, often terms // see allKeys, oftenKeys
}

// talk is a session as a conversation: what its people and its assistant said on the path
// that was kept, in order.
type talk struct {
	session   *ingest.Session
	speeches  []*speech
	echoes    *echoes
	edited    terms   // keywords of the names of files written
	commits   []terms // keywords of the session's commit messages
	n         int     // number of exchanges
	closed    bool    // it ends with the assistant's message and no open call
	committed int     // ordinal of the turn of the last commit made or begun
	goal      terms   // see goalWords
	rounds    []round // by exchange
	asked     *speech // the person's last words, while listening
	closing   *speech
	working   bool
}

// A round is what happened in one exchange.
type round struct {
	edits, commits int
	closing        *speech // the assistant's last message in it, or nil
}

// listen makes the talk of a session, without abandoned branches, copied turns and
// sub-agents.
func listen(s *ingest.Session) *talk {
	t := &talk{session: s}
	for i := range s.Turns {
		if turn := &s.Turns[i]; !turn.Aside() {
			t.turn(turn)
		}
	}
	t.endExchange()
	if c := t.closing; c != nil {
		c.closing, c.last = true, true
		t.closed = len(c.turn.Calls) == 0
	}
	t.edited = sorted(t.edited)
	t.echoes = newEchoes(t)
	return t
}

func (t *talk) turn(turn *ingest.Turn) {
	switch {
	case turn.Role == ingest.Assistant && turn.Kind == ingest.Message:
		if strings.TrimSpace(turn.Text) != "" {
			sp := t.hear(turn, turn.Text, message)
			t.closing, sp.asks = sp, t.asked
		}
		for j := range turn.Calls {
			t.call(turn, &turn.Calls[j])
		}
	case typed(turn):
		t.startExchange(t.hear(turn, turn.Text, typing))
	case turn.Kind == ingest.PlanTurn:
		t.hear(turn, turn.Text, plan)
	case turn.Kind == ingest.Summary:
		t.hear(turn, turn.Text, summary)
	}
}

func (t *talk) call(turn *ingest.Turn, c *ingest.ToolCall) {
	wrote := c.Done && !c.Failed && (len(c.Edits) > 0 || writes(c.Name))
	t.working = t.working || wrote || c.Commit != ""
	made := c.Commit != "" || c.CommitMessage != "" && c.Worked()
	if made || !c.Done && ingest.Commits(c.Command) { // a session may end before a commit's result is recorded
		t.committed = turn.N
	}
	t.round(t.n).commits += min(1, len(c.Commit)+len(c.CommitMessage))
	if wrote {
		t.round(t.n).edits++
		t.edited = appendKeywords(t.edited, c.Path[strings.LastIndexByte(c.Path, '/')+1:])
	}
	if c.CommitMessage != "" && !c.Failed {
		t.commits = append(t.commits, keywords(c.CommitMessage))
		t.hear(turn, c.CommitMessage, commit)
	}
	if c.Plan != nil && c.Verdict == ingest.Approved {
		t.hear(turn, c.Plan.Text, plan)
	}
	if c.Verdict == ingest.Rejected && c.Reason != "" && c.ReasonTurn == "" {
		t.startExchange(t.hear(turn, c.Reason, refusing))
	}
}

// hear adds a speech.
func (t *talk) hear(turn *ingest.Turn, text string, from source) *speech {
	sp := &speech{turn: turn, text: text, source: from, user: from == typing || from == refusing, exchange: t.n}
	sp.parts = sentences(text, sp.user)
	t.speeches = append(t.speeches, sp)
	return sp
}

// startExchange begins an exchange with what a person said.
func (t *talk) startExchange(sp *speech) {
	t.speeches = t.speeches[:len(t.speeches)-1]
	t.endExchange()
	t.speeches = append(t.speeches, sp)
	sp.exchange = t.n
	if t.closing != nil {
		t.closing.closing = true
		t.closing.reaction, sp.reacts = sp, t.closing
	}
	t.closing, t.asked = nil, sp
}

// round returns the round of an exchange.
func (t *talk) round(n int) *round {
	for len(t.rounds) <= n {
		t.rounds = append(t.rounds, round{})
	}
	return &t.rounds[n]
}

func (t *talk) endExchange() {
	t.round(t.n).closing = t.closing
	for i := len(t.speeches) - 1; i >= 0 && t.speeches[i].exchange == t.n; i-- {
		t.speeches[i].work = t.working
	}
	t.n++
	t.working = false
}

// typed reports whether a turn holds the words of whoever asked: the person, or a program that runs the client.
func typed(t *ingest.Turn) bool {
	if t.Role == ingest.Assistant || strings.TrimSpace(t.Text) == "" {
		return false
	}
	switch t.Kind {
	case ingest.Prompt:
		return strings.TrimSpace(strings.ReplaceAll(t.OwnText(), prompts.Confirm.Text(), "")) != ""
	case ingest.Command:
		return len(strings.Fields(t.Text)) >= 4 // the arguments are a request
	}
	return false
}

func writes(tool string) bool {
	return slices.Contains([]string{"Write", "Edit", "MultiEdit", "NotebookEdit"}, tool)
}

// foreign reports whether a sentence overlaps text that isn't its speaker's own.
func (sp *speech) foreign(s *sentence) bool {
	return sp.overlapsForeign(s.from, s.to)
}

// overlapsForeign does so for a byte range.
func (sp *speech) overlapsForeign(from, to int) bool {
	return sp.text == sp.turn.Text && slices.ContainsFunc(sp.turn.Foreign, func(f ingest.Foreign) bool {
		return from < f.To && to > f.From
	})
}

// opening returns the cues of the first sentence.
func (sp *speech) opening() cueSet {
	if sp == nil || len(sp.parts) == 0 {
		return 0
	}
	return sp.parts[0].cues
}

func (sp *speech) endsAsking() bool {
	if sp == nil || len(sp.parts) == 0 {
		return false
	}
	return asks(sp.parts[len(sp.parts)-1].text)
}

func asks(text string) bool { return endsInQuestion(strings.TrimRight(text, "`*\")' ")) }

func endsInQuestion(s string) bool { return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") }

// report reports whether a speech tells its reader something. An assistant's message does
// if it is the last before the person speaks, or long enough not to be narration.
func (sp *speech) report() bool {
	return sp.source != message || sp.closing || len(sp.text) >= 250 || len(sp.parts) >= 3
}
