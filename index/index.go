// Package index answers questions from what recall has kept: sessions go in
// with their items and turns, ranked answers with evidence come out. It is a
// cache over the library; deleting its file costs one reindex and nothing else.
//
// One SQLite file, in WAL mode so that readers and the writer never wait for
// one another:
//
//	session(id, sid, project, title, source, start, end, items, thread, archived)
//	                                                        thread: see ThreadsIn
//	item(id, session, iid, kind, state, at, n, hash, data)  data: the payload.Item as JSON, packed
//	turn(id, session, tid, n, role, at, hash, text)         text: as shown, clipped, packed
//	fulltext segment block size                             the words of items, of their source turns and of
//	                                                        turns with the two before each, see schema.sql
//	vec(iid, model, data)                                   vectors of a configured embedding model
//	stamp(sid, stamp)  line(hash, sid, iids)                what entries were made of; lines of payloads, see schema.sql
//	path touch moved made fault faulted                     what sessions did to files and met, see schema.sql
//	request(session, data)                                  what sessions took of models, see requests.go
//	link(later, earlier, at, data) due(sid) linked(made)    how items bear on one another, see schema.sql
//
// Each page has a checksum that is looked at when it is read, see pages.go: damage is
// ErrRebuild, never another answer.
//
// Times are Unix milliseconds, 0 where the transcript states none. Rowids are
// the file's own; nothing outside refers to them. A session's number is its
// place by start time in its project and is counted when shown.
//
// Why so: an item's words with those of its source at a third, terms joined by
// OR, the porter stemmer over text whose identifiers were cut beforehand did
// best of all that needs no model (nDCG@10 0.54 → 0.62 on distilled items).
package index

import (
	"time"

	"recall/index/rank"
	"recall/ingest"
	"recall/ingest/trace"
	"recall/payload"
	"recall/text"
)

// Doc is one session as the index takes it. All text must be redacted.
type Doc struct {
	Session    string // id, the key
	Project    string
	Title      string
	Source     string
	Start, End time.Time // zero if unknown
	Items      []Item
	Turns      []Turn // in order

	Did *trace.Trace // nil if that isn't known

	Requests []ingest.Request // see Index.Requests

	Archived bool // see Query.Archived

	Thread Threaded // what finds the sessions that it belongs with; Number is not kept

	Stamp string // what this was made from; see Stamps
	Lines []Line // of its payload.md; see Known
}

// Item is an item with the words around it.
type Item struct {
	payload.Item
	Context string // text of its source turns; the first words count
}

// Both is the role of a turn that is questions of the assistant's with the person's answers.
const Both = "both"

// Turn is one message as it is searched and shown.
type Turn struct {
	ID   string
	N    int    // ordinal in the session
	Role string // user, assistant, or Both
	At   time.Time
	Text string // what was said
	More string // what belongs to it and is searched, not shown: answers, plans, commit messages, paths
}

// Query is a question to the index.
type Query struct {
	Text    string
	Also    []string       // further words for the same thing, from a caller that is a model
	Project string         // only this project; "" for all
	Here    string         // the project that it is asked from, whose sessions come a little earlier; "" for none
	Kinds   []payload.Kind // only items of these kinds, and no turns; nil for all
	Since   time.Time      // from then on, by the item's or turn's own time
	Until   time.Time      // before then
	AsOf    time.Time      // as one would have answered then: nothing said since, nor what it took the place of
	Limit   int            // results; 20 if 0

	Archived bool // also the sessions that a person archived

	Now time.Time // what "last week" counts from, in the asker's time zone; the clock's if zero

	Without Part // parts of the search that are left out, to measure what each brings

	Elsewhere *Elsewhere // what another store found, to be ranked with what the index does; nil for none
}

// Part is a part of a search.
type Part int

const (
	Sources Part = 1 << iota // items' source turns
	Aliases                  // items' other words
	Lexicon                  // the lexicon's words for the question's
	Slips                    // words that stand nowhere read as ones that do
	Later                    // that of two which speak of the same the later session's comes first
)

// Answer is what the index finds, best first.
type Answer struct {
	Ranked []*Result // items and turns as they should be shown, an item above the turn that says the same

	Narrowed  Narrowed    // what of the question was taken for a filter
	Widened   Narrowed    // what would have been one, but nothing was found within
	Corrected []Corrected // what of it was taken for a slip of the fingers

	// Listed is set where the question asks for kinds of items and names nothing
	// that it is about: Ranked are the newest of these, and there are More.
	Listed []payload.Kind
	More   int

	SearchedItems, SearchedSessions, Projects int // within the query's project
	SearchedElsewhere                         int // items of Query.Elsewhere's store
	Archived                                  int // sessions there that were left out

	// Sure is the chance, 0 to 1, that the question has an answer here at all,
	// if every second one had. Doubtful is set where it is under the line that
	// one answerable question in twenty is under: what was found is then better
	// called the nearest than the answer. See go run ./eval/train/rank for how
	// well that tells them apart.
	Sure     float64
	Doubtful bool
	Signs    rank.Signs // what Sure was read from

	// Coverage says how much of the question the best result holds: the share,
	// 0 to 1, of the weight of the question's words, rare words weighing more.
	Coverage float64
	// Unknown is set if no rare word of the question stands in any item or
	// turn of the index: only then is "nothing decided" certain.
	Unknown bool
	Missing []string // words of the question that stand nowhere

	WithoutVectors bool // the embedding model failed or was too slow; words alone were searched
}

// Items are the items of what was found, best first.
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
	Title  string        `json:"title"`          // of the session
	Turn   int           `json:"turn,omitempty"` // ordinal of the turn, or of the item's first, from 1
	Score  float64       `json:"score"`          // comparable within one answer only
	Item   *payload.Item `json:"item,omitempty"` // nil of a turn
	TurnID string        `json:"turn_id,omitempty"`
	Role   string        `json:"role,omitempty"`
	At     time.Time     `json:"at,omitzero"`
	Text   string        `json:"text,omitempty"`

	// Passage is what of a turn's text answers: whole sentences, verbatim, at most some 700 bytes; Brief is the same
	// in some 300.
	Passage string `json:"passage,omitempty"`
	Brief   string `json:"-"`

	History  []Linked `json:"history,omitempty"`  // what the item took the place of, newest first
	Conflict []Linked `json:"conflict,omitempty"` // what contradicts it, or claims the same place
	Related  []Linked `json:"related,omitempty"`  // what may bear on it: an earlier form, a refinement, the same again

	Terms    []string      `json:"-"` // the question's words that stand in it
	Coverage float64       `json:"-"` // see Answer.Coverage
	Look     rank.Features `json:"-"` // what the second look saw
}

// Placed is what a result says, with its place: of a turn the passage that answers, as a
// lead without an id.
func (r *Result) Placed() Placed {
	if r.Item != nil {
		return Placed{Place: r.Place, Turn: r.Turn, Item: *r.Item}
	}
	it := payload.Item{Kind: payload.Lead, Text: r.Passage, By: payload.ByAssistant, Maker: payload.ByRule,
		State: payload.Stands, At: r.At,
		Evidence: []payload.Evidence{{Turn: r.TurnID, N: r.Turn, Quote: text.Head(r.Passage, 300)}}}
	switch r.Role {
	case "user":
		it.By = payload.ByUser
	case Both:
		it.By = payload.ByBoth
	}
	return Placed{Place: r.Place, Turn: r.Turn, Item: it}
}

// Doubted is the link of what perhaps took an item's place, nil if nothing did.
func (r *Result) Doubted() *payload.Link {
	if r.Item == nil {
		return nil
	}
	var links []payload.Link
	for _, l := range r.Related { // they hold themselves, else they weren't told of
		links = append(links, l.Link)
	}
	by, _ := payload.Overtaken(r.Item.ID, links, func(payload.Link) bool { return true })
	return by
}

// Place is where a result stands.
type Place struct {
	Project      string    `json:"project"`
	Session      string    `json:"session"`
	SessionN     int       `json:"number"` // place by start time in its project, from 1
	SessionTitle string    `json:"-"`
	SessionStart time.Time `json:"-"`
	Source       string    `json:"-"`
	Archived     bool      `json:"-"` // of an item: a person archived its session

	// of what was shared on another machine, by another person or oneself; else ""
	Author  string `json:"author,omitempty"`
	Machine string `json:"machine,omitempty"`
}
