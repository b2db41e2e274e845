package payload

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"recall/internal/text"
)

// Rules of items from an agent's note: one supported by the conversation, and a Lead for an unsupported claim.
const (
	NoteRule  = "note"
	ClaimRule = "claim"
)

// NoteType is the "type" that tells notes from hook events in inbox/events.jsonl and notes.jsonl.
const NoteType = "note"

// Limits of a note, in characters.
const (
	maxNoteText  = 600
	maxNoteQuote = 300 // bytes, like evidence
	maxNoteNames = 12  // names, and options
)

// NoteKinds lists the kinds that an agent may note.
var NoteKinds = []Kind{Decision, Eliminated, Finding, Flag, Next, Hypothesis, Deferred, Question, Goal, Status}

// A Note is a claim that an agent recorded while it worked. It becomes an item when its quote is found in the
// session's transcript outside of the note itself.
type Note struct {
	Type    string    `json:"type"`            // NoteType
	ID      string    `json:"event,omitempty"` // assigned by the inbox
	Session string    `json:"session"`
	At      time.Time `json:"at,omitzero"`
	Call    string    `json:"call,omitempty"` // id of the tool call that made it, or ""
	By      string    `json:"by"`             // "agent"

	Kind         Kind     `json:"kind"`
	Text         string   `json:"text"` // one sentence
	Why          string   `json:"why,omitempty"`
	Alternatives []string `json:"alternatives,omitempty"`
	Scope        string   `json:"scope,omitempty"`
	About        []string `json:"about,omitempty"`
	Quote        string   `json:"quote,omitempty"` // verbatim from the conversation

	// Only in a line of a draft.
	Path   string `json:"path,omitempty"`   // for kind File
	Status string `json:"status,omitempty"` // for kind File
	Claim  string `json:"claim,omitempty"`  // why nothing in the conversation supports it; "" if something does
}

// Check returns what is wrong with a note, worded for its author.
func (n *Note) Check() error {
	switch {
	case !slices.Contains(NoteKinds, n.Kind) && (n.Kind != File || n.Path == ""):
		return fmt.Errorf("%q is not a kind of note; kinds are %s", text.Clip(oneLine(string(n.Kind)), 40),
			strings.Join(text.Strings(NoteKinds), ", "))
	case strings.TrimSpace(n.Text+n.Path) == "":
		return errors.New("a note needs a text: one sentence")
	case utf8.RuneCountInString(n.Text) > maxNoteText || utf8.RuneCountInString(n.Why) > maxNoteText ||
		utf8.RuneCountInString(n.Scope) > maxNoteText:
		return fmt.Errorf("text, why and scope may have at most %d characters each: write one sentence, "+
			"and several notes for several things", maxNoteText)
	case len(n.Quote) > maxNoteQuote:
		return fmt.Errorf("the quote may have at most %d bytes: send the one sentence that settles it", maxNoteQuote)
	case len(n.Alternatives) > maxNoteNames || len(n.About) > maxNoteNames:
		return fmt.Errorf("at most %d alternatives and %d names are allowed", maxNoteNames, maxNoteNames)
	}
	for _, s := range slices.Concat(n.Alternatives, n.About) {
		if utf8.RuneCountInString(s) > maxNoteText {
			return fmt.Errorf("an alternative or a name may have at most %d characters", maxNoteText)
		}
	}
	return nil
}

// Fit shortens a note to what Check allows.
func (n *Note) Fit() {
	n.Text, n.Why, n.Scope = text.Clip(n.Text, maxNoteText), text.Clip(n.Why, maxNoteText), text.Clip(n.Scope, maxNoteText)
	n.Alternatives = slices.Clone(n.Alternatives[:min(maxNoteNames, len(n.Alternatives))])
	for i, s := range n.Alternatives {
		n.Alternatives[i] = text.Clip(s, maxNoteText)
	}
}

// DecodeNotes decodes the notes among the lines of a notes.jsonl and skips other lines. Of a repeated note the later
// one counts.
func DecodeNotes(lines []json.RawMessage) []Note {
	var out []Note
	for _, line := range lines {
		var n Note
		if json.Unmarshal(line, &n) != nil || n.Type != NoteType || n.Check() != nil {
			continue
		}
		out = slices.DeleteFunc(out, func(o Note) bool {
			return o.Call == n.Call && (n.Call != "" || o.Kind == n.Kind && o.Text == n.Text && o.Path == n.Path)
		})
		out = append(out, n)
	}
	return out
}
