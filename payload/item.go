// Package payload holds what recall keeps of a session in a person's terms: a Payload of Items, each with its Evidence.
// It writes and reads their Markdown and JSON, gives ids, merges people's edits, composes the payloads of a thread and
// keeps them within a budget of tokens.
package payload

import (
	"slices"
	"strings"
	"time"

	"recall/text"
)

// Schema is the version of payload.json that this package writes.
const Schema = 1

// ItemID names an item for good: ten base32 characters, minted once.
type ItemID string

// Kind is what an item is about; the order of Kinds is that of importance.
type Kind string

const (
	Goal       Kind = "goal"
	Decision   Kind = "decision"
	Eliminated Kind = "eliminated"
	Flag       Kind = "flag"
	Next       Kind = "next"
	Finding    Kind = "finding" // what was found to be so: a cause shown, a fact measured
	Hypothesis Kind = "hypothesis"
	Deferred   Kind = "deferred"
	Question   Kind = "question"
	File       Kind = "file"
	Status     Kind = "status"
	Lead       Kind = "lead" // a passage that may hold something worth keeping: quoted, never claimed
)

// Kinds lists all kinds, most important first: a tight budget cuts in reverse.
var Kinds = []Kind{Goal, Decision, Eliminated, Finding, Flag, Next, Hypothesis, Deferred, Question, File, Status, Lead}

// Order is the place of a kind in Kinds.
func (k Kind) Order() int { return slices.Index(Kinds, k) }

// By says whose word an item is.
type By string

const (
	ByUser      By = "user"
	ByAssistant By = "assistant-accepted"
	ByBoth      By = "both"
)

// Maker says what made an item.
type Maker string

const (
	ByRule  Maker = "rule"
	ByModel Maker = "model"
	ByHuman Maker = "human"
)

// State is whether an item holds today.
type State string

const (
	Stands     State = "stands"
	Superseded State = "superseded"
	Revoked    State = "revoked"
	Reopened   State = "reopened"
	Done       State = "done"
	Retired    State = "retired"
)

// File statuses, in an item of kind File.
const (
	FileDone      = "DONE"
	FileProgress  = "IN PROGRESS"
	FileUntouched = "UNTOUCHED"
	FileOffLimits = "OFF LIMITS"
)

// Item is one thing worth keeping.
type Item struct {
	ID           ItemID   `json:"id"`
	Kind         Kind     `json:"kind"`
	Hint         Kind     `json:"hint,omitempty"`         // of a Lead: what it may be, to rank it by
	Text         string   `json:"text"`                   // one sentence; for a file what is to be said of it
	Why          string   `json:"why,omitempty"`          // the reason, without "because"
	Alternatives []string `json:"alternatives,omitempty"` // options that lost
	Scope        string   `json:"scope,omitempty"`        // its condition, as quoted: "above 10k jobs"
	About        []string `json:"about,omitempty"`        // paths, symbols, components that it binds
	Aliases      []string `json:"aliases,omitempty"`      // other words to find it by
	// of kind File: as the transcript names it, relative to the project root where it lies inside
	Path   string `json:"path,omitempty"`
	Status string `json:"status,omitempty"` // of kind File: FileDone … FileOffLimits

	By         By        `json:"by"`
	Maker      Maker     `json:"maker"`
	Rule       string    `json:"rule,omitempty"`       // which rule or prompt
	Confidence float64   `json:"confidence,omitempty"` // 0–1; a rule's is its measured precision
	State      State     `json:"state"`
	Pinned     bool      `json:"pinned,omitempty"`
	At         time.Time `json:"at"` // of its first evidence turn; what "as of" means
	// Text as last distilled, where a person changed it: what redistilling pairs by
	Was      string     `json:"was,omitempty"`
	Evidence []Evidence `json:"evidence,omitempty"` // none where a person wrote it, and of a claim (ClaimRule)
	// of a decision: items that a note of recall's held against its prompt
	Against []ItemID `json:"against,omitempty"`
}

// Evidence is where in a transcript a claim can be checked.
type Evidence struct {
	Turn  string `json:"turn"`  // ingest.TurnID, or the uuid of one of the turn's records
	N     int    `json:"n"`     // the turn's ordinal when it was distilled, for people
	Quote string `json:"quote"` // verbatim from that turn as redacted, at most 300 bytes, never empty
}

// Provenance says what produced a payload.
type Provenance struct {
	Distiller string `json:"distiller"`       // "offline/1", "model/<name>"
	Rules     string `json:"rules,omitempty"` // version of the redaction rules
	Prompt    string `json:"prompt,omitempty"`
	Input     string `json:"input"` // SHA-256 over the raw bytes that it was made from
	// hash over the sessions that bear on who owns which turn: forks, and the other half of a plan
	Beside string `json:"beside,omitempty"`
	// how many of the session's items were forgotten before it was made
	Without int `json:"without,omitempty"`
	// what a model has made of it since, if one has; what it hasn't seen Distiller made
	Model Asked `json:"model,omitzero"`
}

// Asked says which model was asked about a session, and what it saw. What it made stays valid whatever comes after.
type Asked struct {
	Name   string `json:"name"`           // distill.Improver's: "model/anthropic/claude-haiku-4-5"
	Prompt string `json:"prompt"`         // version of the prompts
	Input  string `json:"input"`          // Provenance.Input at that time: with another one now, the session has grown
	Turns  int    `json:"turns"`          // how many it saw
	Last   string `json:"last,omitempty"` // id of the last of them
}

// By names what made the payload, for people.
func (p Provenance) By() string {
	if p.Model.Name != "" {
		return p.Model.Name
	}
	return p.Distiller
}

// Payload is all that one distillation of a session yields.
type Payload struct {
	Schema  int        `json:"schema"`
	Session string     `json:"session"`
	Source  string     `json:"source"`
	Title   string     `json:"title"`
	Project string     `json:"project"`
	Branch  string     `json:"branch,omitempty"`
	Start   time.Time  `json:"start"`
	End     time.Time  `json:"end"`
	Made    Provenance `json:"made"`
	Items   []Item     `json:"items"`          // in order of kind, then of time
	Read    []string   `json:"read,omitempty"` // files that were only read and are no items, the most read first
	// items of earlier distillations that this one no longer finds
	Retired []Item `json:"retired,omitempty"`
	// items of payloads that a person pasted or had fetched to go on from
	Carried  []ItemID       `json:"carried,omitempty"`
	Injected []ItemID       `json:"injected,omitempty"` // items of payloads that a hook put before the session
	Quoted   []ItemID       `json:"quoted,omitempty"`   // all others that stand in it: in answers, in notes
	Dropped  map[string]int `json:"dropped,omitempty"`  // items not kept, by reason: ungrounded, foreign, …
	// payload.md as last rendered, the base of the three-way merge
	Written string `json:"written,omitempty"`
	// the items it showed, in its order (a cut line is not a drop)
	WrittenIDs []ItemID `json:"written_ids,omitempty"`

	// Of a payload composed over a thread only (see Compose), Doubted of one shown as well; never stored.
	Thread  []string          `json:"thread,omitempty"`  // its sessions, oldest first
	Origins map[ItemID]Origin `json:"origins,omitempty"` // which session each item is from
	Doubted map[ItemID]Doubt  `json:"doubted,omitempty"` // what took an item's place, may have, or contradicts it
}

// Origin is the session that an item of a composed payload is from.
type Origin struct {
	Session string `json:"session"`
	Number  int    `json:"number,omitempty"` // its place by start time in its project, as of now; 0 if not known
}

// MapText puts every text of the item through a function. What it shares with a copy of it stays.
func (it *Item) MapText(f func(string) string) {
	for _, s := range []*string{&it.Text, &it.Why, &it.Scope, &it.Path, &it.Was} {
		*s = f(*s)
	}
	for _, list := range []*[]string{&it.Alternatives, &it.About, &it.Aliases} {
		*list = slices.Clone(*list)
		for i, s := range *list {
			(*list)[i] = f(s)
		}
	}
	it.Evidence = slices.Clone(it.Evidence)
	for i := range it.Evidence {
		it.Evidence[i].Quote = f(it.Evidence[i].Quote)
	}
}

// First is what the item first rests on, the zero Evidence if it has none.
func (it *Item) First() (e Evidence) {
	if len(it.Evidence) > 0 {
		e = it.Evidence[0]
	}
	return e
}

// Quotes are the words that the item rests on.
func (it *Item) Quotes() (quotes []string) {
	for _, e := range it.Evidence {
		quotes = append(quotes, e.Quote)
	}
	return quotes
}

// Current reports whether the item holds today: it stands (an empty state, too) or was reopened.
func (it *Item) Current() bool {
	return it.State == Stands || it.State == Reopened || it.State == ""
}

// RuledOutThing is what an eliminated item rules out, without its "no": "Ruled out: no Redis" would say the opposite.
func RuledOutThing(text string) string {
	for _, no := range []string{"No ", "no ", "Not ", "not ", "Don't use ", "don't use ", "Never "} {
		if rest, ok := strings.CutPrefix(text, no); ok && rest != "" {
			return rest
		}
	}
	return text
}

// noForm matches a sentence that says itself that something is out.
var noForm = text.Pattern(`(?i)\b(?:is|are|was|were|has|have|do|does|did|can|could|will|would|should) ` +
	`(?:not|never|no)\b|\b(?:cannot|no longer|never)\b|\w+n['’]t\b|\b(?:is|are|was|were|drops?|dropped|ruled|falls?) ` +
	`out\b|\bit['’]s (?:not|no|out)\b|\bnot\b|\brul(?:es?|ing) out\b|\bskip(?:s|ped|ping)?\b|\b(?:fails?|breaks?)\b`)

// SaysNo reports whether an eliminated item's text says itself that something is out, so that "Ruled out" before it
// would say the opposite: "a lock doesn't help".
func SaysNo(text string) bool {
	return RuledOutThing(text) == text && noForm().MatchString(text)
}
