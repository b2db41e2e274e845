package index

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"recall/ingest"
	"recall/internal/text"
)

// Exchange is one exchange as it is searched, embedded and shown: what was asked and all that answers it.
type Exchange struct {
	N     int    // its place among the session's exchanges, from 1; 0 if it isn't known
	Turns []Turn // what was said in it, in order; a turn's plans, choices and commits follow it as turns of their own
}

// Text is the exchange's whole text, in which a Span is a stretch of bytes.
func (e *Exchange) Text() string {
	var b strings.Builder
	for i, t := range e.Turns {
		if i > 0 {
			b.WriteString(betweenTurns)
		}
		b.WriteString(t.Text)
	}
	return b.String()
}

const betweenTurns = "\n\n"

// Span is a stretch of a text, in bytes.
type Span struct{ From, To int }

// A window holds windowWords words and begins windowStep words after the one before.
const (
	windowWords = 180
	windowStep  = 135
)

// Windows returns the stretches of an exchange's text that are compared with a question, and that vectors are made
// of: the whole text if it is short, else overlapping windows.
func Windows(said string) []Span {
	var words []Span
	begun := -1
	for i, r := range said {
		switch space := unicode.IsSpace(r); {
		case space && begun >= 0:
			words = append(words, Span{begun, i})
			begun = -1
		case !space && begun < 0:
			begun = i
		}
	}
	if begun >= 0 {
		words = append(words, Span{begun, len(said)})
	}
	var out []Span
	for from := 0; from < len(words); from += windowStep {
		to := min(from+windowWords, len(words))
		out = append(out, Span{words[from].From, words[to-1].To})
		if to == len(words) {
			break
		}
	}
	return out
}

// How much of what isn't said in words counts, in bytes: of a report its beginning, of a failure its last lines.
const (
	longestReport  = 4 << 10
	longestFailure = 600
)

// exchangesOf returns a session's exchanges without what says nothing: what the harness or other tools inserted, and a
// compaction's summary of earlier turns.
func exchangesOf(s *ingest.Session) (all []Exchange) {
	for _, e := range s.Exchanges() {
		one := Exchange{N: e.N}
		for _, t := range e.Turns {
			if t.Kind != ingest.Event && t.Kind != ingest.Interrupt && (t.Kind != ingest.Summary || len(all) == 0) {
				one.Turns = append(one.Turns, saidIn(t)...)
			}
		}
		if len(one.Turns) > 0 {
			all = append(all, one)
		}
	}
	return all
}

// saidIn returns what was said in a turn: its text, then what its calls say.
func saidIn(t *ingest.Turn) (out []Turn) {
	add := func(role ingest.Role, said string) {
		if said = strings.TrimSpace(said); said != "" {
			out = append(out, Turn{ID: string(t.ID), N: t.N, Role: string(role), At: t.At, Text: said})
		}
	}
	role := t.Role
	if t.Kind == ingest.PlanTurn || t.Kind == ingest.Summary { // a model's words in the person's name
		role = ingest.Assistant
	}
	add(role, t.WithPasted())
	for i := range t.Calls {
		c := &t.Calls[i]
		add(Both, chosen(c))
		if c.Plan != nil {
			add(ingest.Assistant, c.Plan.Text)
		}
		switch {
		case c.Reason == "" || c.ReasonTurn != "": // a turn's own text
		case c.Plan != nil && c.Verdict == ingest.Rejected:
			add(ingest.User, "Refused: “"+c.Reason+"”")
		default:
			add(ingest.User, c.Reason)
		}
		add(ingest.Assistant, c.CommitMessage)
		add(ingest.Assistant, reported(c))
	}
	return out
}

// chosen returns a call's questions with the person's answers.
func chosen(c *ingest.ToolCall) string {
	var parts []string
	for _, a := range c.Answers {
		said := a.Question + " → " + strings.Join(a.Chosen, ", ")
		if a.Notes != "" {
			said += " (“" + a.Notes + "”)"
		}
		parts = append(parts, said)
	}
	return strings.Join(parts, "\n")
}

// reported returns what a sub-agent reported, or the last lines of a command that failed.
func reported(c *ingest.ToolCall) string {
	asked := slices.Contains([]string{"Task", "Agent"}, c.Name)
	switch {
	case !c.Ran() || strings.Contains(c.Result, "<!-- recall"):
		return ""
	case asked && !c.Failed:
		return text.HeadMarked(c.Result, longestReport)
	case c.Command != "" && c.Failed:
		said := strings.TrimSpace(c.Result)
		if len(said) > longestFailure {
			said = said[len(said)-longestFailure:]
			_, said, _ = strings.Cut(said, "\n")
		}
		return said
	}
	return ""
}

// Meaning finds exchanges by meaning. Whoever implements it keeps a vector for each window of each exchange, by the
// exchange's Key, and is asked by Search once for each question.
type Meaning interface {
	// Near returns the exchanges nearest to a question, each with its nearest window, best first and at most most of
	// them; within one project unless its name is "". The error means that words alone must do.
	Near(ctx context.Context, question, project string, most int) ([]Near, error)
}

// Spoken is an exchange as its vectors are made: see Index.Exchanges, which lists them newest first.
type Spoken struct {
	Key     Key
	Project string
	Text    string // whose Windows are embedded
}

// Near is how near an exchange is to a question.
type Near struct {
	Exchange Key
	Window   int     // its place in Windows
	Cosine   float64 // of the question and that window
}

// Key identifies an exchange by its text, so that a vector stays right whatever becomes of the index: KeyOf.
type Key int64

// KeyOf returns the key of an exchange's text.
func KeyOf(said string) Key {
	v := vocabulary{}
	return Key(v.hash(said))
}
