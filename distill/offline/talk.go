package offline

import (
	"slices"
	"strings"

	"recall/ingest"
	"recall/prompts"
)

// source says what a speech is.
type source uint8

const (
	typing   source = iota // a person's
	refusing               // a person's words with a call that they refused
	message                // the assistant's
	plan                   // a plan that the person approved
	commit                 // a commit's message
	summary                // what the client wrote when it cut its context
)

// A speech is one thing that somebody said: a turn's text, or what stands in one
// of its calls.
type speech struct {
	turn     *ingest.Turn
	text     string
	source   source
	user     bool
	closing  bool    // the assistant's last word before the person speaks again
	last     bool    // the closing message of the session
	exchange int     // 0-based: which of the person's words it belongs to
	asks     *speech // of the assistant's: the person's word that it follows, nil if none
	reacts   *speech // of the person's: the closing message it answers, nil if none
	reaction *speech // of the assistant's closing message: what the person said next, nil at the end
	work     bool    // files were changed or commits made in its exchange
	parts    []sentence
	from     int // number of its first sentence among the talk's

	keys, often terms // see allKeys, oftenKeys
}

// talk is a session as a conversation: what its people and its assistant said
// on the path that was kept, in order.
type talk struct {
	session   *ingest.Session
	speeches  []*speech
	echoes    *echoes
	edited    terms   // keywords of the names of the files that were written
	commits   []terms // of the messages of the session's commits
	n         int     // exchanges
	closed    bool    // it ends with the assistant's word, no call open
	committed int     // ordinal of the turn of the last commit that was made, or begun
	goal      terms   // see goalWords
	rounds    []round // by exchange
	asked     *speech // while listening
	closing   *speech
	working   bool
}

// A round is what was done and said in an exchange.
type round struct {
	edits, commits int
	closing        *speech // the assistant's last word in it, nil if none
}

// listen makes the talk of a session. Abandoned branches, copied turns and
// sub-agents have no part in it.
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
	t.echoes = listenForEchoes(t)
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
		t.heed(t.hear(turn, turn.Text, typing))
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
	if made || !c.Done && ingest.Commits(c.Command) { // what came of one that is the last thing on record isn't on record
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
		t.heed(t.hear(turn, c.Reason, refusing))
	}
}

// hear adds what was said.
func (t *talk) hear(turn *ingest.Turn, text string, from source) *speech {
	sp := &speech{turn: turn, text: text, source: from, user: from == typing || from == refusing, exchange: t.n}
	sp.parts = sentences(text, sp.user)
	t.speeches = append(t.speeches, sp)
	return sp
}

// heed makes what a person said the beginning of an exchange.
func (t *talk) heed(sp *speech) {
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

// round is that of an exchange.
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

// typed reports whether a turn holds a person's own words.
func typed(t *ingest.Turn) bool {
	if t.Role != ingest.User || strings.TrimSpace(t.Text) == "" {
		return false
	}
	switch t.Kind {
	case ingest.Prompt:
		return strings.TrimSpace(strings.ReplaceAll(t.OwnText(), prompts.Confirm.Text(), "")) != ""
	case ingest.Command:
		return len(strings.Fields(t.Text)) >= 4 // a command's arguments that are a request
	}
	return false
}

func writes(tool string) bool {
	return slices.Contains([]string{"Write", "Edit", "MultiEdit", "NotebookEdit"}, tool)
}

// foreign reports whether a sentence touches what isn't its speaker's own.
func (sp *speech) foreign(s *sentence) bool {
	return sp.overlapsForeign(s.from, s.to)
}

// overlapsForeign reports whether a stretch of it does.
func (sp *speech) overlapsForeign(from, to int) bool {
	return sp.text == sp.turn.Text && slices.ContainsFunc(sp.turn.Foreign, func(f ingest.Foreign) bool {
		return from < f.To && to > f.From
	})
}

// opening are the cues of the first sentence.
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

func asks(text string) bool {
	text = strings.TrimRight(text, "`*\")' ")
	return strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？")
}

// report reports whether an assistant's message says something to its reader:
// the last before the person speaks, or one long enough not to be narration.
func (sp *speech) report() bool {
	return sp.source != message || sp.closing || len(sp.text) >= 250 || len(sp.parts) >= 3
}
