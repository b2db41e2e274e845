// Package eval compares payloads with gold sets: what people wrote down about
// the same sessions. It says how much of what should have been found was found
// (recall), how much of what was found should have been (precision), and whether
// questions find what people expect them to find.
package eval

import (
	"recall/payload"
)

// GoldSchema is the version of the gold files that are read.
const GoldSchema = 1

// A Gold set is what careful people would keep of one session: one
// NAME.gold.json.
type Gold struct {
	Schema     int        `json:"schema"`
	Session    string     `json:"session"`
	Transcript string     `json:"transcript"` // relative to the folder of transcripts
	Summary    string     `json:"summary"`    // for readers
	Variant    string     `json:"variant"`    // of the payload that would suit it
	Items      []GoldItem `json:"items"`
	Not        []string   `json:"not"` // claims a careless distiller would make, wrong here

	File    string `json:"-"`
	Project string `json:"-"` // name of the folder it stands in
}

// GoldItem is one thing worth keeping.
type GoldItem struct {
	ID    string       `json:"id"`
	Kind  payload.Kind `json:"kind"`
	Text  string       `json:"text"`
	Why   string       `json:"why"`
	Must  bool         `json:"must"`  // false: fair to keep and fair to leave
	Turns []string     `json:"turns"` // uuids of the records that show it
	Quote string       `json:"quote"` // verbatim from one of them

	By    payload.By `json:"by,omitempty"`    // whose word it is, where that is said
	About []string   `json:"about,omitempty"` // what it binds: paths, symbols, components

	Path string `json:"-"` // of a file whose text doesn't begin with it, where something else says it
}

// A Question is what people ask of a project's sessions, with the gold items
// that answer it: an entry of NAME.questions.json. Items are named
// "<session>#<id>".
type Question struct {
	Q          string   `json:"q"`
	Expect     []string `json:"expect"`     // right answers, best first; none: the sessions don't say
	Stale      []string `json:"stale"`      // true once, not to be given as current
	AsOf       string   `json:"as_of"`      // day of asking, "2026-02-12"; "" for after the last session
	Paraphrase bool     `json:"paraphrase"` // few words in common with the item
	Note       string   `json:"note"`

	File string `json:"-"`
}

// Other words that people may find a gold item by, from aliases.json.
type Other struct {
	Aliases []string `json:"aliases"`
	Asks    []string `json:"asks"`
}

// A LabelledPair is two statements about one session that people called the
// same fact or not: a line of pairs-NAME.jsonl.
type LabelledPair struct {
	Session string       `json:"session"`
	Kind    payload.Kind `json:"kind"`
	KindA   payload.Kind `json:"kind_a"` // where they differ
	KindB   payload.Kind `json:"kind_b"`
	A       string       `json:"a"`
	B       string       `json:"b"`
	Same    bool         `json:"same"`
	Made    bool         `json:"made"` // a true pair turned round by hand

	Project string `json:"-"`
}
