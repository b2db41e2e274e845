// Package index answers questions from what recall has archived: sessions with their items and turns go in,
// ranked answers with evidence come out. It is a cache over the library; deleting its file costs one reindex
// and nothing else.
//
// One SQLite file, in WAL mode so that readers and the writer never wait for one another:
//
//	session(id, sid, project, title, source, author, machine, start, end, items, thread, archived)
//	                                                        thread: see ThreadsIn
//	item(id, session, iid, kind, state, at, n, data)        data: the payload.Item as JSON, packed
//	turn(id, session, tid, n, role, at, text)               text: as shown, clipped, packed
//	window(id, session, x, n, m, at, key)                   exchanges in windows, see exchange.go
//	words                                                   FTS5 over the stems of windows and items
//	unembedded(id, text) embedded(model, size)              windows without a vector; what vectors.f32 holds
//	stamp(sid, stamp)  line(hash, sid, iids)                what entries were made from; payloads' lines, see schema.sql
//	path touch moved made changed                           what sessions did to files, see schema.sql
//	request(session, data)                                  requests to models and their usage, see requests.go
//	link(later, earlier, at, data) due(sid) linked(made)    how items relate to one another, see schema.sql
//
// Beside it lie the windows' vectors, see vectors.go.
//
// Damage that SQLite or a text's checksum notices is reported as ErrRebuild: no text is shown that nobody said. What
// neither notices may hide rows until the index is made again.
//
// Times are Unix milliseconds, 0 if the transcript has none. Rowids are internal to the file. A session's
// number is its place by start time in its project, counted when it is shown.
package index

import (
	"strconv"
	"strings"
	"time"

	"recall/ingest"
	"recall/ingest/trace"
	"recall/internal/text"
	"recall/payload"
)

// Doc is one session's entry in the index. All text must be redacted.
type Doc struct {
	Session    string // id, the key
	Project    string
	Title      string
	Source     string
	Author     string    // of what was shared from another machine, by oneself or another person; else ""
	Machine    string    // its name
	Start, End time.Time // zero if unknown
	Items      []Item
	Turns      []Turn // in order

	Did   *trace.Trace // nil if unknown
	Deeds []payload.Deed

	Requests []ingest.Request // see Index.Requests
	Changed  ingest.Changes

	Archived bool // see Query.Archived

	Also []string // names of other projects that it worked in

	Thread ThreadEntry // how to find the sessions that it belongs with; Number is not stored

	Stamp string // what this was made from; see Stamps
	Lines []Line // of its payload.md; see Known
}

// Item is an item as it is searched.
type Item struct {
	payload.Item
	Context string // more words by which it is found, if its exchange isn't in the index
}

// Roles of turns that are made of several, or of none of a session's own.
const (
	Both     = "both"      // the assistant's question with the person's answer
	SubAgent = "sub-agent" // what a sub-agent reported to the assistant
)

// Turn is one message as it is searched and shown.
type Turn struct {
	ID   string
	N    int    // ordinal in the session
	Role string // user, assistant, program, Both or SubAgent
	At   time.Time
	Text string // what was said
	More string // searched but not shown: answers, plans, commit messages, paths

	Exchange int // which of the session's it is in, from 1; 0 if unknown
}

// Query is a question to the index.
type Query struct {
	Text    string
	Also    []string       // more words for the same thing, if the caller is a model
	Project string         // only this project; "" for all
	Here    string         // the project that it is asked from, whose sessions rank a little higher; "" for none
	Kinds   []payload.Kind // only items of these kinds, and no turns; nil for all
	Since   time.Time      // from then on, by the time of the item or turn
	Until   time.Time      // before then
	AsOf    time.Time      // answer as of then: ignore what was said later, and show what it superseded
	Limit   int            // results; 20 if 0

	Archived bool // include archived sessions

	Corrected []payload.Correction // people's word on which sessions are of one task

	Now time.Time // what "last week" is relative to, in the asker's time zone; the current time if zero

	Exact  bool // an item must have the query's own words: no lexicon, no words of its source turns
	Stated bool // it is a statement, not a question: nothing in it is a filter or asks for a list
	Own    bool // leave out what others share
	timed  bool // it named a time of which nothing is
}

// Answer is what the index finds, best first.
type Answer struct {
	Ranked []*Result // items and turns in display order, an item above the turn that says the same

	Narrowed Filters // the time or project that the question names, of which results are preferred
	Widened  Filters // the same if nothing is of it

	// Listed is set if the question asks for kinds of items without naming a subject: Ranked then holds the newest of
	// these, and More counts the rest.
	Listed []payload.Kind
	More   int

	SearchedItems, SearchedSessions, Projects int // within the query's project
	SearchedShared                            int // items that others share
	Archived                                  int // archived sessions that were left out

	// Coverage is how much of the question the best result contains: the share, 0 to 1, of the weight of the question's
	// words, rare words weighing more.
	Coverage float64
	Rarity   text.Bag // of the question's words, as stems
	Missing  []string // words of the question that occur nowhere
	Titled   []string // of these, those that stand in the title of a session
	Unknown  bool     // they are all of its words, or nothing was found

	Doubtful bool // a model that read what was found says that none of it answers

	WithoutVectors bool // the embedding model failed or was too slow; words alone were searched
}

// Items returns the items among the results, best first.
func (a Answer) Items() (list []*Result) {
	for _, r := range a.Ranked {
		if r.Item != nil {
			list = append(list, r)
		}
	}
	return list
}

// Result is one line of an answer: an item, or a turn of a transcript.
type Result struct {
	Type string `json:"type"` // item, turn
	Place
	Title string `json:"title"`          // of the session
	Turn  int    `json:"turn,omitempty"` // ordinal of the turn, or of the item's first, from 1
	// Exchange is the ordinal of the exchange in its session that it is in, from 1; 0 if unknown.
	Exchange int `json:"exchange,omitempty"`

	Score  float64       `json:"score"`          // comparable within one answer only
	Near   float64       `json:"-"`              // how near its exchange is in meaning, 0 to 1; 0 also if unknown
	Item   *payload.Item `json:"item,omitempty"` // nil for a turn
	TurnID string        `json:"turn_id,omitempty"`
	Role   string        `json:"role,omitempty"`
	At     time.Time     `json:"at,omitzero"`
	Text   string        `json:"text,omitempty"`

	// Passage is the part of a turn's text that answers: whole sentences, verbatim, about 700 bytes at most; Brief is a
	// version of about 300.
	Passage string `json:"passage,omitempty"`
	Brief   string `json:"-"`

	Beside bool `json:"-"` // it belongs to the turn before it in the answer: what that replies to, or the reply

	History  []Linked `json:"history,omitempty"`  // what the item superseded, newest first
	Conflict []Linked `json:"conflict,omitempty"` // what contradicts it, or superseded the same items
	Related  []Linked `json:"related,omitempty"`  // possibly relevant: an earlier form, a refinement, a repetition

	// Changed says, of a turn, what was put in the place of values that it names, and when; of an item, its Since does.
	Changed string `json:"changed,omitempty"`

	Later *Placed `json:"-"` // of a turn: what a person said last of the options that it is about

	Terms    []string `json:"-"` // the question's words that occur in it
	Coverage float64  `json:"-"` // see Answer.Coverage
	Kindred  float64  `json:"-"` // the same of what occurs only in the lexicon's words
}

// Placed returns the result's item with its place; for a turn, the passage as a lead without an id.
func (r *Result) Placed() Placed {
	if r.Item != nil {
		return Placed{Place: r.Place, Turn: r.Turn, Item: *r.Item}
	}
	it := payload.Item{Kind: payload.Lead, Text: r.Passage, By: payload.ByAssistant, Maker: payload.ByRule,
		State: payload.Stands, At: r.At, Since: r.Changed,
		Evidence: []payload.Evidence{{Turn: r.TurnID, N: r.Turn, Quote: text.Head(r.Passage, 300)}}}
	switch r.Role {
	case "user":
		it.By = payload.ByUser
	case "program":
		it.By = payload.ByProgram
	case Both:
		it.By = payload.ByBoth
	}
	return Placed{Place: r.Place, Turn: r.Turn, Item: it}
}

// Doubted returns the link of what may have superseded the item, nil if nothing did.
func (r *Result) Doubted() *payload.Link {
	if r.Item == nil {
		return nil
	}
	var links []payload.Link
	for _, l := range r.Related { // only items that hold are related
		links = append(links, l.Link)
	}
	by, _ := payload.Overtaken(r.Item.ID, links, func(payload.Link) bool { return true })
	return by
}

// Place is where a result is from.
type Place struct {
	Project      string    `json:"project"`
	Session      string    `json:"session"`
	SessionN     int       `json:"number"` // place by start time in its project, from 1
	SessionTitle string    `json:"-"`
	SessionStart time.Time `json:"-"`
	Source       string    `json:"-"`
	Archived     bool      `json:"-"` // for an item: a person archived its session
	Key          string    `json:"-"` // the entry's id, if it isn't Session: of what was shared

	// of what was shared from another machine, by oneself or another person; else ""
	Author  string `json:"author,omitempty"`
	Machine string `json:"machine,omitempty"`
}

// HandoffSource is the source of handoffs from other people. They are stored like sessions, under an id from HandedID
// and titled with the sender's name, but aren't counted as sessions.
const HandoffSource = "handoff"

// HandedID is the id of a handoff's entry.
func HandedID(handoff string) string { return HandoffSource + " " + handoff }

// SharedID is the id of the entry for a session that a member of the team shares.
func SharedID(member int, session string) string {
	return sharedPrefix + strconv.Itoa(member) + " " + session
}

// IsShared reports whether an entry is one of those.
func IsShared(id string) bool { return strings.HasPrefix(id, sharedPrefix) }

const sharedPrefix = HandoffSource + " shared "

// OfShared takes such an id apart.
func OfShared(id string) (member, session string, ok bool) {
	if !IsShared(id) {
		return "", "", false
	}
	return strings.Cut(id[len(sharedPrefix):], " ")
}

// named sets the session to its name with its author, in place of the entry's id.
func (p *Place) named() {
	if _, session, ok := OfShared(p.Session); ok {
		p.Key, p.Session = p.Session, session
	}
}

// isOwn matches a session t of one's own. It uses sid because every index of the table has it. isShared
// matches what others share.
const (
	isOwn    = `t.sid NOT BETWEEN '` + HandoffSource + ` ' AND '` + HandoffSource + `!'`
	isShared = `t.sid BETWEEN '` + sharedPrefix + `' AND '` + HandoffSource + ` shared!'`
)
