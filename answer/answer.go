// Package answer makes an answer of a question: it searches, has a model look at
// what was found where the user wants that, says how much that claims, and words
// it: what an item says, whether it holds, whose word it is and where it stands.
// Terminal, Markdown, MCP, hooks and eval lay out what they get from here.
package answer

import (
	"fmt"
	"strings"
	"time"

	"recall/index"
	"recall/index/rank"
	"recall/payload"
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
	Behind
	Quoted bool       `json:"quoted,omitempty"` // no result is settled: they are what was said
	Text   *Paragraph `json:"answer,omitempty"` // if it was asked for, unless there is nothing to say

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

// Behind is what an answer lacks while much is taken in, or taken in again by another version
// of recall.
type Behind struct {
	Left      int  `json:"left"`                // new or grown sessions not taken in yet
	Outdated  int  `json:"outdated,omitempty"`  // sessions as recall last read them, to be looked at again
	Unrelated bool `json:"unrelated,omitempty"` // how decisions bear on one another isn't up to date
}

// Any reports whether it lacks anything.
func (b Behind) Any() bool { return b != Behind{} }

// String says what an answer is: "without 2 new or grown sessions".
func (b Behind) String() string {
	var parts []string
	if b.Left > 0 {
		parts = append(parts, "without "+Count(b.Left, "new or grown session"))
	}
	if b.Outdated > 0 {
		parts = append(parts, "of "+Count(b.Outdated, "session")+" as recall last read them")
	}
	if b.Unrelated {
		parts = append(parts, "not up to date with how decisions bear on one another")
	}
	return strings.Join(parts, ", ")
}

// Warning is said before results that claim less than it looks, "" where they don't.
func (a *Answer) Warning() string {
	switch {
	case a.Verdict == Weak:
		return "Nothing that clearly answers this; nearest:"
	case a.Quoted:
		return "No settled answer is on record; the closest that was said:"
	}
	return ""
}

// Searched is how much was looked through.
type Searched struct {
	Items    int `json:"items"`
	Sessions int `json:"sessions"`
	Projects int `json:"projects"`
	Archived int `json:"archived,omitempty"` // sessions that were left out
	Team     int `json:"team,omitempty"`     // items that the team shares
}

func (s Searched) String() string {
	if s.Sessions == 0 && s.Team > 0 {
		return Count(s.Team, "item") + " of your team's"
	}
	text := Count(s.Items, "item") + " and " + Count(s.Sessions, "session")
	if s.Projects > 1 {
		text += fmt.Sprintf(" of %d projects", s.Projects)
	}
	return text + s.OfTeam() + s.LeftOut()
}

// OfTeam says how much of the team's was searched, "" if nothing was.
func (s Searched) OfTeam() string {
	if s.Team == 0 {
		return ""
	}
	return " and " + Count(s.Team, "item") + " of your team's"
}

// LeftOut says how many archived sessions weren't searched, "" if all were.
func (s Searched) LeftOut() string {
	if s.Archived == 0 {
		return ""
	}
	return fmt.Sprintf("; %d archived left out", s.Archived)
}

// Result is one line of an answer.
type Result struct {
	index.Result
	Since map[string]int `json:"since,omitempty"` // commits since, by file that it speaks of
}

// speaksOf reports whether a result has a word of the question, or another word for
// one: what has none is near to nothing.
func (r *Result) speaksOf() bool {
	return len(r.Terms) > 0 || r.Look.Kindred() > 0 || r.Item != nil && r.Look[rank.Near] > 0
}
