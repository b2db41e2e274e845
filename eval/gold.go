// Package eval compares payloads with gold sets, which people wrote about the same sessions. It measures how
// much of what should have been found was found (recall), how much of what was found should have been
// (precision), and whether questions find what people expect.
package eval

import (
	"recall/payload"
)

// GoldSchema is the supported version of gold files.
const GoldSchema = 1

// Gold is what careful people would keep of one session: one NAME.gold.json.
type Gold struct {
	Schema     int        `json:"schema"`
	Session    string     `json:"session"`
	Transcript string     `json:"transcript"` // relative to the folder of transcripts
	Summary    string     `json:"summary"`    // for readers
	Variant    string     `json:"variant"`    // of the payload that would suit it
	Items      []GoldItem `json:"items"`
	Not        []string   `json:"not"` // claims a careless distiller might make, wrong here
	Title      unread     `json:"title,omitzero"`

	File    string `json:"-"`
	Project string `json:"-"` // name of its folder
}

// GoldItem is one thing worth keeping.
type GoldItem struct {
	ID    string       `json:"id"`
	Kind  payload.Kind `json:"kind"`
	Text  string       `json:"text"`
	Why   string       `json:"why"`
	Must  bool         `json:"must"`  // false: keeping it and leaving it out are both fine
	Turns []string     `json:"turns"` // uuids of the records that show it
	Quote string       `json:"quote"` // verbatim from one of them

	By    payload.By `json:"by,omitempty"`    // who said it, if stated
	About []string   `json:"about,omitempty"` // what it binds: paths, symbols, components

	Alternatives unread `json:"alternatives,omitzero"`
	Quotes       unread `json:"quotes,omitzero"`
}

// unread is a field that files may hold although nothing reads it.
type unread struct{}

// UnmarshalJSON implements json.Unmarshaler.
func (*unread) UnmarshalJSON([]byte) error { return nil }

// Question is what people ask of a project's sessions, with the gold items that answer it: an entry of
// NAME.questions.json. Items are named "<session>#<id>".
type Question struct {
	Q          string   `json:"q"`
	Expect     []string `json:"expect"`     // right answers, best first; none if the sessions don't say
	Stale      []string `json:"stale"`      // once true, not to be given as current
	AsOf       string   `json:"as_of"`      // day of asking, "2026-02-12"; "" for after the last session
	Paraphrase bool     `json:"paraphrase"` // few words in common with the item
	Note       string   `json:"note"`

	File string `json:"-"`
}

// Other is further words by which people may look for a gold item, from aliases.json.
type Other struct {
	Aliases []string `json:"aliases"`
	Asks    []string `json:"asks"`
}

// LabelledPair is two statements about one session that people labelled as the same fact or not: a line of
// pairs-NAME.jsonl.
type LabelledPair struct {
	Session  string       `json:"session"`
	SessionB unread       `json:"session_b,omitzero"`
	Kind     payload.Kind `json:"kind"`
	KindA    payload.Kind `json:"kind_a"` // where they differ
	KindB    payload.Kind `json:"kind_b"`
	A        string       `json:"a"`
	B        string       `json:"b"`
	Same     bool         `json:"same"`
	Made     bool         `json:"made"` // a true pair, negated by hand

	Project string `json:"-"`
}
