package offline

import (
	"slices"
	"sort"
	"strings"

	"recall/ingest"
	"recall/payload"
	"recall/prompts"
)

// A speech is one thing that somebody said: a turn's text, or a person's words
// with a refused tool call.
type speech struct {
	turn     *ingest.Turn
	text     string
	user     bool
	closing  bool             // the assistant's last word before the person speaks again
	last     bool             // the closing message of the session
	toCome   int              // how many closing messages follow it
	exchange int              // 0-based: the person's how manieth word it belongs to
	refused  *ingest.ToolCall // that it refuses: said with the refusal, or a typed "no" right after it
	because  bool             // it was typed right after a refusal, as its reason
	asks     *speech          // of the assistant's: the person's word that it follows, nil if none
	reacts   *speech          // of the person's: the closing message it answers, nil if none
	reaction *speech          // of the assistant's closing message: what the person said next, nil at the end
	mood     mood             // how the person took it; of a person's speech: how they took what was before
	work     bool             // files were changed or commits made in its exchange
	suggests bool             // of the person's: it is worded as a review's suggestion
	parts    []sentence
	options  []option   // see optionsOf
	offers   []offering // see offeringsOf
	from     int        // number of its first sentence among the talk's
}

// mood is how a person takes what was said to them.
type mood int

const (
	neutral mood = iota
	accepts
	objects
	silent // nothing was said any more
)

// talk is a session as a conversation: what its people and its assistant said
// on the path that was kept, in order.
type talk struct {
	session  *ingest.Session
	speeches []*speech
	echoes   *echoes
	commits  []terms // keywords of the messages of the session's commits
	goals    []payload.Item
	n        int  // exchanges
	closed   bool // it ends with the assistant's word, no call open
}

// listen makes the talk of a session. Abandoned branches, copied turns,
// summaries and sub-agents have no part in it.
func listen(s *ingest.Session) *talk {
	t := &talk{session: s}
	var closing, asked *speech
	var room []sentence
	exchange, work := 0, false
	endExchange := func() {
		for i := len(t.speeches) - 1; i >= 0 && t.speeches[i].exchange == exchange; i-- {
			t.speeches[i].work = work
		}
		exchange++
		work = false
	}
	hear := func(sp *speech) {
		if sp.user {
			endExchange()
			if closing != nil {
				closing.closing = true
				closing.reaction = sp
				sp.reacts = closing
			}
			closing = nil
			asked = sp
		} else {
			closing, sp.asks = sp, asked
		}
		sp.exchange = exchange
		room = appendSentences(room[:0], sp.text, sp.user)
		sp.parts = slices.Clone(room)
		t.speeches = append(t.speeches, sp)
	}
	for i := range s.Turns {
		turn := &s.Turns[i]
		if turn.Abandoned || turn.Copied {
			continue
		}
		switch {
		case turn.Role == ingest.Assistant && turn.Kind == ingest.Message:
			if strings.TrimSpace(turn.Text) != "" {
				hear(&speech{turn: turn, text: turn.Text})
			}
			for j := range turn.Calls {
				c := &turn.Calls[j]
				work = work || c.Done && !c.Failed && (len(c.Edits) > 0 || c.Commit != "" || writes(c.Name))
				if c.CommitMessage != "" && !c.Failed {
					t.commits = append(t.commits, keywords(c.CommitMessage))
				}
				if c.Verdict == ingest.Rejected && c.Reason != "" && c.ReasonTurn == "" {
					hear(&speech{turn: turn, text: c.Reason, user: true, refused: c})
				}
			}
		case typed(turn):
			sp := &speech{turn: turn, text: turn.Text, user: true}
			if c := reasonFor(s.Turns[max(0, i-3):i], turn); c != nil {
				sp.because = true
				if opensNo.MatchString(strings.ToLower(strings.TrimSpace(turn.Text))) {
					sp.refused = c
				}
			}
			hear(sp)
		}
	}
	endExchange()
	t.n = exchange
	if closing != nil {
		closing.closing, closing.last, closing.mood = true, true, silent
		t.closed = len(closing.turn.Calls) == 0
	}
	closings := 0
	for i := len(t.speeches) - 1; i >= 0; i-- {
		if sp := t.speeches[i]; sp.closing {
			sp.toCome = closings
			closings++
		}
	}
	for _, sp := range t.speeches {
		if sp.user {
			sp.mood = moodOf(sp)
			if sp.reacts != nil {
				sp.reacts.mood = sp.mood
			}
		}
	}
	t.echoes = listenForEchoes(t)
	t.goals = goal(t)
	return t
}

// reasonFor is the call of the turns before that was refused for what a typed turn
// says, nil if there is none.
func reasonFor(before []ingest.Turn, turn *ingest.Turn) *ingest.ToolCall {
	if len(turn.Foreign) > 0 {
		return nil
	}
	for i := range before {
		for j := range before[i].Calls {
			if c := &before[i].Calls[j]; c.Verdict == ingest.Rejected && c.ReasonTurn == turn.ID {
				return c
			}
		}
	}
	return nil
}

// exchange lists what was said in one exchange.
func (t *talk) exchange(n int) []*speech {
	from := sort.Search(len(t.speeches), func(i int) bool { return t.speeches[i].exchange >= n })
	to := from
	for to < len(t.speeches) && t.speeches[to].exchange == n {
		to++
	}
	return t.speeches[from:to]
}

// typed tells whether a turn holds a person's own words.
func typed(t *ingest.Turn) bool {
	if t.Role != ingest.User || strings.TrimSpace(t.Text) == "" {
		return false
	}
	switch t.Kind {
	case ingest.Prompt:
		return strings.TrimSpace(strings.ReplaceAll(ownText(t), prompts.Confirm(), "")) != ""
	case ingest.Command:
		return len(strings.Fields(t.Text)) >= 4 // a command's arguments that are a request
	}
	return false
}

// ownText is a turn's text without what came from elsewhere.
func ownText(t *ingest.Turn) string {
	var b strings.Builder
	at := 0
	for _, f := range t.Foreign {
		if f.From >= at && f.To <= len(t.Text) && f.From <= f.To {
			b.WriteString(t.Text[at:f.From])
			at = f.To
		}
	}
	b.WriteString(t.Text[at:])
	return b.String()
}

func writes(tool string) bool {
	switch tool {
	case "Write", "Edit", "MultiEdit", "NotebookEdit":
		return true
	}
	return false
}

// moodOf reads a person's reaction from how it opens.
func moodOf(sp *speech) mood {
	if sp.refused != nil {
		return objects
	}
	open := strings.ToLower(strings.TrimSpace(sp.text))
	if len(open) > 120 {
		open = open[:120]
	}
	switch {
	case opensNo.MatchString(open):
		return objects
	case opensYes.MatchString(open):
		return accepts
	}
	return neutral
}

// foreign tells whether a sentence touches what isn't its speaker's own.
func (sp *speech) foreign(s *sentence) bool {
	if sp.refused != nil {
		return false
	}
	for _, f := range sp.turn.Foreign {
		if s.From < f.To && s.To > f.From {
			return true
		}
	}
	return false
}
