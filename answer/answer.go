// Package answer makes an answer of a question: it searches, has a model look at
// what was found where the user wants that, says how much that claims, and words
// it: what an item says, whether it holds, whose word it is and where it stands.
// Terminal, Markdown, MCP, hooks and eval lay out what they get from here.
package answer

import (
	"fmt"
	"time"

	"recall/index"
	"recall/index/rank"
	"recall/payload"
	"recall/text"
)

// Verdict is how much an answer claims.
type Verdict string

const (
	Answered Verdict = "answered"
	Weak     Verdict = "weak"    // nothing clearly answers; the nearest are shown
	Nothing  Verdict = "nothing" // no rare word of the question stands anywhere
)

// Answer is what recall says to a question. It is the document of recall query
// --json, which is stable: fields are added, never renamed or removed; Schema goes
// up if that must change.
type Answer struct {
	Schema   int               `json:"schema"` // 1
	Question string            `json:"question"`
	Verdict  Verdict           `json:"verdict"`
	Coverage float64           `json:"coverage"` // 0–1: the share of the question's weight that the first result holds
	Sure     float64           `json:"sure"`     // 0–1: the chance of an answer here, if every second question had one
	Narrowed index.Narrowed    `json:"narrowed,omitzero"`
	Widened  index.Narrowed    `json:"widened,omitzero"`  // nothing was found within
	Read     []index.Corrected `json:"read,omitempty"`    // words taken for mistyped
	Listed   []payload.Kind    `json:"listed,omitempty"`  // the question names no topic: the newest of these are listed
	Results  []*Result         `json:"results"`           // best first
	Searched Searched          `json:"searched"`          // what was looked through
	Missing  []string          `json:"missing,omitempty"` // words of the question that stand nowhere
	Left     int               `json:"left"`              // new or grown sessions not taken in yet
	Text     *Paragraph        `json:"answer,omitempty"`  // if it was asked for, unless there is nothing to say

	// Shown are the results to be shown: none that only says again what one above it
	// says, and few where nothing clearly answers.
	Shown []*Result `json:"-"`
	More  int       `json:"-"` // found, and not shown

	AsOf           time.Time `json:"-"` // the end of the day that it is answered as of; zero: now
	WithoutVectors bool      `json:"-"` // words alone were searched: the embedding model gave no usable answer
	Told           []string  `json:"-"` // what the user should know of how it went with the model
	Fault          error     `json:"-"` // why the model gave no answer; nil if it did, or wasn't asked

	all    []*Result // found, best first
	behind int       // found behind them
}

// Searched is how much was looked through.
type Searched struct {
	Items    int `json:"items"`
	Sessions int `json:"sessions"`
	Projects int `json:"projects"`
}

func (s Searched) String() string {
	text := Count(s.Items, "item") + " and " + Count(s.Sessions, "session")
	if s.Projects > 1 {
		text += fmt.Sprintf(" of %d projects", s.Projects)
	}
	return text
}

// Result is one line of an answer: an item, or a turn of a transcript.
type Result struct {
	Type string `json:"type"` // item, turn
	index.Place
	Title  string        `json:"title"`          // of the session
	Turn   int           `json:"turn,omitempty"` // ordinal of the turn in the session, from 1
	Score  float64       `json:"score"`          // comparable within one answer only
	Item   *payload.Item `json:"item,omitempty"` // nil of a turn
	TurnID string        `json:"turn_id,omitempty"`
	Role   string        `json:"role,omitempty"`
	At     time.Time     `json:"at,omitzero"`
	Text   string        `json:"text,omitempty"`

	Passage string `json:"passage,omitempty"` // what of a turn's text answers, verbatim

	History  []index.Linked `json:"history,omitempty"`  // what the item took the place of, newest first
	Conflict []index.Linked `json:"conflict,omitempty"` // what contradicts it
	Related  []index.Linked `json:"related,omitempty"`  // what may bear on it, older or newer
	Since    map[string]int `json:"since,omitempty"`    // commits since, by file that it speaks of

	Terms []string      `json:"-"` // the question's words that stand in it
	Look  rank.Features `json:"-"` // what the second look saw
	Doubt *payload.Link `json:"-"` // what perhaps took its place

	found index.Result
}

func resultOf(r index.Result) *Result {
	if t := r.Turn; t != nil {
		return &Result{Type: "turn", Place: t.Place, Title: t.SessionTitle, Turn: t.N, Score: r.Score,
			TurnID: t.ID, Role: t.Role, At: t.At, Text: t.Text, Passage: t.Passage, Terms: t.Terms, Look: t.Look, found: r}
	}
	h := r.Item
	return &Result{Type: "item", Place: h.Place, Title: h.SessionTitle, Turn: h.Turn, Score: r.Score, Item: &h.Item,
		History: h.History, Conflict: h.Conflict, Related: h.Related,
		Terms: h.Terms, Look: h.Look, Doubt: h.Doubted(), found: r}
}

// Placed is what a result says, with its place: of a turn the passage that answers, as a
// lead without an id.
func (r *Result) Placed() index.Placed {
	if r.Item != nil {
		return index.Placed{Place: r.Place, Turn: r.Turn, Item: *r.Item}
	}
	it := payload.Item{Kind: payload.Lead, Text: r.Passage, By: payload.ByAssistant, Maker: payload.ByRule,
		State: payload.Stands, At: r.At,
		Evidence: []payload.Evidence{{Turn: r.TurnID, N: r.Turn, Quote: text.Head(r.Passage, 300)}}}
	if r.Role == "user" {
		it.By = payload.ByUser
	}
	return index.Placed{Place: r.Place, Turn: r.Turn, Item: it}
}

// speaksOf reports whether a result has a word of the question, or another word for
// one: what has none is near to nothing.
func (r *Result) speaksOf() bool {
	return len(r.Terms) > 0 || r.Look.Kindred() > 0 || r.Item != nil && r.Look[rank.Near] > 0
}
