// Package payload defines what recall keeps of a session: a Payload of Items, each with its Evidence. It reads and
// writes their Markdown and JSON forms, assigns ids, merges people's edits, composes the payloads of a thread and
// keeps them within a token budget.
package payload

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	fastjson "github.com/go-json-experiment/json"

	"recall/internal/text"
)

// Schema is the version of the payload in session.json that this package writes.
const Schema = 1

// ItemID identifies an item permanently: ten base32 characters, minted once.
type ItemID string

// Kind is what an item is about.
type Kind string

const (
	Goal       Kind = "goal"
	Decision   Kind = "decision"
	Eliminated Kind = "eliminated"
	Flag       Kind = "flag"
	Next       Kind = "next"
	Finding    Kind = "finding" // what turned out to be true: a proven cause, a measured fact
	Hypothesis Kind = "hypothesis"
	Deferred   Kind = "deferred"
	Question   Kind = "question"
	File       Kind = "file"
	Status     Kind = "status"
	Lead       Kind = "lead" // a passage that may hold something worth keeping: quoted, never claimed
)

// Kinds lists all kinds, most important first: a tight budget cuts in reverse.
var Kinds = []Kind{Goal, Decision, Eliminated, Finding, Flag, Next, Hypothesis, Deferred, Question, File, Status, Lead}

// Order is the kind's index in Kinds.
func (k Kind) Order() int { return slices.Index(Kinds, k) }

// By says whose statement an item is.
type By string

const (
	ByUser      By = "user"
	ByAssistant By = "assistant-accepted"
	ByBoth      By = "both"
	ByProgram   By = "program" // a script or another agent asked for it
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
	Hint         Kind     `json:"hint,omitempty"`         // for a Lead: what it may be; used for ranking
	Text         string   `json:"text"`                   // one sentence; for a file, what there is to say about it
	Why          string   `json:"why,omitempty"`          // the reason, without "because"
	Since        string   `json:"since,omitempty"`        // what came of a quote: ChangedSince … OnlyPlanned
	Alternatives []string `json:"alternatives,omitempty"` // rejected options
	Scope        string   `json:"scope,omitempty"`        // its condition, as quoted: "above 10k jobs"
	About        []string `json:"about,omitempty"`        // paths, symbols, components that it concerns
	Aliases      []string `json:"aliases,omitempty"`      // other words to find it by
	// For kind File: as named in the transcript, relative to the project root if inside it.
	Path   string `json:"path,omitempty"`
	Status string `json:"status,omitempty"` // for kind File: FileDone … FileOffLimits

	By         By        `json:"by"`
	Maker      Maker     `json:"maker"`
	Rule       string    `json:"rule,omitempty"`       // the rule or prompt that made it
	Confidence float64   `json:"confidence,omitempty"` // 0–1; for a rule, its measured precision
	State      State     `json:"state"`
	Pinned     bool      `json:"pinned,omitempty"`
	Handed     bool      `json:"handed,omitempty"` // it comes from another person, or a program's own memory
	At         time.Time `json:"at"`               // time of its first evidence turn; what "as of" means
	// The distilled text, if a person changed it; redistilling pairs by this.
	Was      string     `json:"was,omitempty"`
	Evidence []Evidence `json:"evidence,omitempty"` // none if a person wrote it, or for a claim (ClaimRule)
}

// Evidence says where in a transcript a claim can be checked.
type Evidence struct {
	Turn  string `json:"turn"`  // ingest.TurnID, or the uuid of one of the turn's records
	N     int    `json:"n"`     // the turn's ordinal at distillation, for display
	Quote string `json:"quote"` // verbatim from the redacted turn, at most 300 bytes, never empty
}

// Provenance records what produced a payload.
type Provenance struct {
	Distiller string `json:"distiller"`       // "offline/1", "model/<name>"
	Rules     string `json:"rules,omitempty"` // version of the redaction rules
	Prompt    string `json:"prompt,omitempty"`
	Input     string `json:"input"` // SHA-256 of the raw bytes it was made from
	// Hash over the sessions that decide who owns which turn: forks, and the other half of a plan.
	Beside string `json:"beside,omitempty"`
	// The model asked since, if any; the turns it hasn't seen are Distiller's.
	Model Asked `json:"model,omitzero"`
}

// Asked records which model was asked about a session, and how much it saw. Its result stays valid whatever comes
// later.
type Asked struct {
	Name   string `json:"name"`           // distill.Improver's: "model/anthropic/claude-haiku-4-5"
	Prompt string `json:"prompt"`         // version of the prompts
	Input  string `json:"input"`          // Provenance.Input at that time; if that differs now, the session has grown
	Turns  int    `json:"turns"`          // number of turns it saw
	Last   string `json:"last,omitempty"` // id of the last turn it saw
}

// By returns what made the payload, for display.
func (p Provenance) By() string {
	if p.Model.Name != "" {
		return p.Model.Name
	}
	return p.Distiller
}

// Payload is the result of one distillation of a session.
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
	Items   []Item     `json:"items"`          // ordered by kind, then time
	Read    []string   `json:"read,omitempty"` // files that were only read and are no items, most read first
	Did     []Deed     `json:"did,omitempty"`  // what is on record, in order of time
	// Files of a repository that were written since the last commit on record.
	Uncommitted int `json:"uncommitted,omitempty"`
	// Items of earlier distillations that this one no longer finds.
	Retired []Item `json:"retired,omitempty"`
	// Items of payloads that a person pasted or fetched in order to continue.
	Carried  []ItemID       `json:"carried,omitempty"`
	Injected []ItemID       `json:"injected,omitempty"` // items of payloads that a hook put before the session
	Quoted   []ItemID       `json:"quoted,omitempty"`   // other items that occur in it: in answers, in notes
	Dropped  map[string]int `json:"dropped,omitempty"`  // number of items not kept, by reason: ungrounded, foreign, …
	// payload.md as last rendered, the base of the three-way merge.
	Written string `json:"written,omitempty"`
	// The items it showed, in order; one cut for the budget is not a drop.
	WrittenIDs []ItemID `json:"written_ids,omitempty"`

	// Only in payloads composed over a thread (see Compose), Doubted also in displayed ones; never stored.
	Thread    []string          `json:"thread,omitempty"`      // its sessions, oldest first
	Origins   map[ItemID]Origin `json:"origins,omitempty"`     // which session each item is from
	Doubted   map[ItemID]Doubt  `json:"doubted,omitempty"`     // what superseded or contradicts an item, or may have
	InPlaceOf map[ItemID]string `json:"in_place_of,omitempty"` // by a person's words, the decision that they replaced
	// Beside are items of the project's other threads. The marker leaves them out: who is told of them continues none.
	Beside map[ItemID]bool `json:"-"`
}

// Origin is the session that an item of a composed payload comes from.
type Origin struct {
	Session string `json:"session"`
	Number  int    `json:"number,omitempty"` // its position by start time in its project, as of now; 0 if unknown
	Branch  string `json:"branch,omitempty"` // if that isn't the payload's
}

// On names the branch, "" without one.
func (o Origin) On() string {
	if o.Branch == "" {
		return ""
	}
	return " on " + safe(o.Branch, 60)
}

// MapText applies f to every text of the item, without changing slices shared with copies.
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

// First returns the item's first evidence, the zero Evidence if it has none.
func (it *Item) First() (e Evidence) {
	if len(it.Evidence) > 0 {
		e = it.Evidence[0]
	}
	return e
}

// Quotes returns the quotes that the item is based on.
func (it *Item) Quotes() (quotes []string) {
	for _, e := range it.Evidence {
		quotes = append(quotes, e.Quote)
	}
	return quotes
}

// AsSaid returns a claim that its quotes don't bear out as what its maker said: a lead in their words, with the quotes.
func (it Item) AsSaid() Item {
	it.By, it.Rule = ByAssistant, ClaimRule
	it.Text, it.Hint, it.Kind = LineOf(&it), it.Kind, Lead
	it.Why, it.Scope, it.Alternatives, it.Path, it.Status = "", "", nil, "", ""
	return it
}

// Said reports whether an item only tells what an agent or a model said.
func (it *Item) Said() bool { return it.Rule == ClaimRule }

// Current reports whether the item holds today: its state is stands (or empty) or reopened.
func (it *Item) Current() bool {
	return it.State == Stands || it.State == Reopened || it.State == ""
}

// Lapsed reports whether an item says what not to do on the day when it was said, and that day is over: "don't touch
// alarm.py today, Jan is on it".
func (it *Item) Lapsed(now time.Time) bool {
	m := notToday().FindStringSubmatch(it.Text)
	return m != nil && !sinceThen[strings.ToLower(m[1])] && now.Sub(it.At) >= sameDay
}

// sameDay is how long a day's orders hold, in whatever time zone and however late they were given.
const sameDay = 18 * time.Hour

var (
	notToday = text.Pattern(`(?i)\b(?:don['’]?t|do not|never|leave|hands off|nicht|nie|kein\w*|ne|no|não|non)\b` +
		`(?:[^.!?;\n]|[.]\w){0,60}?(\pL+),? (?:today|tonight|heute|aujourd['’]hui|hoy|hoje|oggi|dzisiaj)(?:$|[^\pL'’])`)
	// sinceThen are words with which the day is when something begins, ends or was said.
	sinceThen = text.Set("of from since until decided agreed ab seit bis von desde hasta depuis dès jusqu'à")
)

// RuledOutThing returns what an eliminated item rules out, without its "no": "Ruled out: no Redis" would say the
// opposite.
func RuledOutThing(text string) string {
	for _, no := range []string{"No ", "no ", "Not ", "not ", "Don't use ", "don't use ", "Never "} {
		if rest, ok := strings.CutPrefix(text, no); ok && rest != "" {
			return rest
		}
	}
	return text
}

// noForm matches a sentence that itself says that something is out.
var noForm = text.Pattern(`(?i)\b(?:(?:is|are|was|were|has|have|do|does|did|can|could|will|would|should|it['’]s) no|` +
	`(?:is|are|was|were|drops?|dropped|rul(?:es?|ed|ing)|falls?|it['’]s) out|not|never|cannot|no longer|` +
	`skip(?:s|ped|ping)?|fails?|breaks?)\b|\w+n['’]t\b`)

// SaysNo reports whether an eliminated item's text itself says that something is out, so that "Ruled out" before it
// would mean the opposite: "a lock doesn't help".
func SaysNo(text string) bool {
	return RuledOutThing(text) == text && noForm().MatchString(text)
}

// ErrDecode is wrapped by all errors of Decode.
var ErrDecode = errors.New("decode payload")

// ErrNewer means that a newer recall wrote the payload.
var ErrNewer = errors.New("written by a newer recall")

// Encode returns the payload in the form in which it is kept: indented, ending in a newline, always the same bytes.
func Encode(p *Payload) ([]byte, error) {
	out := *p
	out.Schema = Schema
	if out.Items == nil {
		out.Items = []Item{} // [] rather than null for other programs
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(&out); err != nil {
		return nil, fmt.Errorf("encode payload of %s: %w", p.Session, err)
	}
	return buf.Bytes(), nil
}

// Decode reads what Encode wrote, including earlier versions. A newer schema is ErrNewer: guessing might lose what it
// added.
func Decode(data []byte) (*Payload, error) {
	p := new(Payload)
	err := fastjson.Unmarshal(data, p)
	switch {
	case p.Schema > Schema:
		return nil, fmt.Errorf("%w: schema %d, this recall knows %d: %w", ErrDecode, p.Schema, Schema, ErrNewer)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrDecode, err)
	case p.Schema < 1:
		return nil, fmt.Errorf("%w: no schema version, so this is not a payload", ErrDecode)
	}
	p.Schema = Schema
	return p, nil
}

// idAlphabet lacks 0, 1, l and o, which are easily confused when read aloud or copied by hand.
const idAlphabet = "23456789abcdefghijkmnpqrstuvwxyz"

const idLength = 10 // 50 bits

// Mint gives an id to each item that has none: a hash of the session, the item's first evidence turn, its kind and
// its text, so it is the same on every machine. If the id is in taken, the next hash is used. Mint adds the new ids
// to taken.
func Mint(session string, items []Item, taken map[ItemID]bool) {
	for i := range items {
		if items[i].ID != "" {
			taken[items[i].ID] = true
		}
	}
	for i := range items {
		if items[i].ID == "" {
			items[i].ID = mint(session, &items[i], taken)
			taken[items[i].ID] = true
		}
	}
}

func mint(session string, it *Item, taken map[ItemID]bool) ItemID {
	for try := uint64(0); ; try++ {
		h := sha256.New()
		for _, part := range []string{session, it.First().Turn, string(it.Kind), it.Text} {
			text.WritePart(h, part)
		}
		h.Write(binary.BigEndian.AppendUint64(nil, try))
		if id := idOf(h.Sum(nil)); !taken[id] {
			return id
		}
	}
}

// PageID returns the id by which the marker of a page names a session that it hands on. It has the form of an item's:
// in a later transcript it says as much as the ids of all items on the page would, and takes fewer tokens.
func PageID(session string) ItemID {
	h := sha256.New()
	for _, part := range []string{"page", session} {
		text.WritePart(h, part)
	}
	return idOf(h.Sum(nil))
}

func idOf(sum []byte) ItemID {
	bits := binary.BigEndian.Uint64(sum)
	var id [idLength]byte
	for i := range id {
		id[i] = idAlphabet[bits>>59]
		bits <<= 5
	}
	return ItemID(id[:])
}

// IsID reports whether s has the form of an item id.
func IsID(s string) bool {
	return len(s) == idLength && strings.Trim(s, idAlphabet) == ""
}

// Handle returns the name that people type for a session: git-sync#5 is the fifth of project git-sync.
func Handle(project string, number int) string {
	return fmt.Sprintf("%s#%d", ProjectHandle(project), number)
}

// ShortID is as much of a session's id as is needed to name it.
func ShortID[ID ~string](id ID) string {
	bare := []rune(text.BareID(id))
	return string(bare[:min(len(bare), 8)])
}

// ProjectHandle returns a project's name without characters that a shell would need quoted: "git-sync (devenv)"
// becomes git-sync-devenv.
func ProjectHandle(name string) string {
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("-()[]{}<>|&;$`'\"\\*?!#~=", r)
	}), "-")
}

// ProjectIn returns how a text in lower case names a project, and not as a part of a word: by its name, as its sessions
// are typed, or without what tells equal names apart; "" if it doesn't.
func ProjectIn(text, name string) string {
	name = strings.ToLower(name)
	base, _, _ := strings.Cut(name, " (")
	for _, said := range []string{name, ProjectHandle(name), base} {
		if utf8.RuneCountInString(said) >= 3 && strings.Contains(text, said) &&
			regexp.MustCompile(`(?:^|[^\pL\p{Nd}_-])`+regexp.QuoteMeta(said)+nameEnds).MatchString(text) {
			return said
		}
	}
	return ""
}

// nameEnds matches what may stand after a project's name: nothing that makes it another's.
const nameEnds = `(?:$|[^\pL\p{Nd}_ -]| (?:$|[^(]))`

// CutTurns divides what names turns of a session, billing#2:31, billing#2:31-35 or 7f3c1a2b:31, into the session's name
// and the turns, both in it. from is 0 if it names none.
func CutTurns(name string) (session string, from, to int) {
	m := turnsNamed().FindStringSubmatch(name)
	if m == nil {
		return name, 0, 0
	}
	from, _ = strconv.Atoi(m[2])
	to, _ = strconv.Atoi(m[3])
	return m[1], from, max(from, to)
}

var turnsNamed = text.Pattern(`^(.+):(\d{1,6})(?:-(\d{1,6}))?$`)
