package payload

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"recall/text"
)

// Rules of items from an agent's note: one that the conversation bears out, and a Lead, the agent's bare claim.
const (
	NoteRule  = "note"
	ClaimRule = "claim"
)

// NoteType is the "type" of a note among the lines of inbox/events.jsonl and notes.jsonl, which hold hook events too.
const NoteType = "note"

// How much a note may say, in characters.
const (
	mostNote  = 600
	mostQuote = 300 // bytes, as evidence
	mostNoted = 12  // names and options
)

// NoteKinds are the kinds that an agent may note.
var NoteKinds = []Kind{Decision, Eliminated, Finding, Flag, Next, Hypothesis, Deferred, Question, Goal, Status}

// A Note is what an agent recorded while it worked, a claim: it becomes an item when its quote is found in the
// session's transcript, in words that aren't the note itself.
type Note struct {
	Type    string    `json:"type"`            // NoteType
	ID      string    `json:"event,omitempty"` // given by the inbox
	Session string    `json:"session"`
	At      time.Time `json:"at,omitzero"`
	Call    string    `json:"call,omitempty"` // id of the tool call that it was made by, ""
	By      string    `json:"by"`             // "agent"

	Kind         Kind     `json:"kind"`
	Text         string   `json:"text"` // one sentence
	Why          string   `json:"why,omitempty"`
	Alternatives []string `json:"alternatives,omitempty"`
	Scope        string   `json:"scope,omitempty"`
	About        []string `json:"about,omitempty"`
	Quote        string   `json:"quote,omitempty"` // verbatim from the conversation

	// Of a line of a draft.
	Path   string `json:"path,omitempty"`   // of kind File
	Status string `json:"status,omitempty"` // of kind File
	Claim  string `json:"claim,omitempty"`  // why nothing in the conversation bears it out; "" if something does
}

// Check says what is wrong with a note, in words for who wrote it.
func (n *Note) Check() error {
	switch {
	case !slices.Contains(NoteKinds, n.Kind) && (n.Kind != File || n.Path == ""):
		return fmt.Errorf("%q is no kind of note; kinds are %s", text.Clip(oneLine(string(n.Kind)), 40),
			strings.Join(text.Strings(NoteKinds), ", "))
	case strings.TrimSpace(n.Text+n.Path) == "":
		return errors.New("a note needs a text: one sentence")
	case utf8.RuneCountInString(n.Text) > mostNote || utf8.RuneCountInString(n.Why) > mostNote ||
		utf8.RuneCountInString(n.Scope) > mostNote:
		return fmt.Errorf("text, why and scope may have %d characters each: write one sentence, "+
			"and several notes for several things", mostNote)
	case len(n.Quote) > mostQuote:
		return fmt.Errorf("the quote may have %d bytes: send the one sentence that settles it", mostQuote)
	case len(n.Alternatives) > mostNoted || len(n.About) > mostNoted:
		return fmt.Errorf("at most %d alternatives and %d names", mostNoted, mostNoted)
	}
	for _, s := range slices.Concat(n.Alternatives, n.About) {
		if utf8.RuneCountInString(s) > mostNote {
			return fmt.Errorf("an alternative or a name may have %d characters", mostNote)
		}
	}
	return nil
}

// Fit cuts what a note says to what Check allows.
func (n *Note) Fit() {
	n.Text, n.Why, n.Scope = text.Clip(n.Text, mostNote), text.Clip(n.Why, mostNote), text.Clip(n.Scope, mostNote)
	n.Alternatives = slices.Clone(n.Alternatives[:min(mostNoted, len(n.Alternatives))])
	for i, s := range n.Alternatives {
		n.Alternatives[i] = text.Clip(s, mostNote)
	}
}

// DecodeNotes reads the notes among a notes.jsonl's lines, the later of one made twice; others are left out.
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
