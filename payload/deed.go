package payload

import (
	"path"
	"slices"
	"strings"
	"time"

	"recall/internal/text"
)

// A Deed is something that a session did or saw on record: a commit, by its subject, or, without one, that nothing is
// left to commit; a task of its list that it completed; what became of a pull request; a value that an edit replaced.
type Deed struct {
	Text string    `json:"text"`
	Turn string    `json:"turn"` // the record's id
	At   time.Time `json:"at,omitzero"`
	Task bool      `json:"task,omitempty"`
	// of a commit, files and folders that it has and the session perhaps didn't write, "." if whatever was changed
	Files []string `json:"files,omitempty"`
	Fate  string   `json:"fate,omitempty"` // "merged since"; Text then is the end of an address, or its path
	// what replaced Text in a file, a value; and, where that could be another thing's, words one of which is beside it
	Now string `json:"now,omitempty"`
	Of  string `json:"of,omitempty"`
}

// commits reports whether a deed is a commit, or that none is to be made.
func (d *Deed) commits() bool { return !d.Task && d.Fate == "" && d.Now == "" }

// Ends reports whether a deed ended what an item tells of as it was: a pull request opened, a file not committed.
func (d *Deed) Ends(it *Item) bool {
	switch {
	case d.At.Before(it.At):
		return false
	case d.Fate != "":
		return it.Rule == OpenedRule && (strings.HasSuffix(it.Text, d.Text) ||
			strings.HasSuffix(d.Text, "/") && strings.Contains(it.Text, d.Text))
	}
	return it.Uncommitted() && slices.ContainsFunc(d.Files, func(name string) bool {
		return name == it.Path || name == "." && !path.IsAbs(it.Path) || strings.HasPrefix(it.Path, name+"/")
	})
}

// Reaches reports whether a deed of one session may do what an item of another left. On another branch a commit
// doesn't, unless it has files that were changed on the default one; how a session left its own files and pull
// requests, its items say.
func (d *Deed) Reaches(it *Item, of, left *Payload) bool {
	switch own := of == left; {
	case left == nil || d.Task:
		return true
	case it.Rule == OpenedRule:
		its := of.Branch == left.Branch && OwnBranch(of.Branch) // the branch's one, if no number is told
		return !own && (its || !strings.HasSuffix(d.Text, "/"))
	case it.Kind == File:
		return !own && left.Branch != "" && left.OnBranchOf(of)
	}
	return of.Branch == left.Branch
}

// SameTask reports whether two items are one task of two lists.
func (it *Item) SameTask(o *Item) bool {
	return it.Rule == TaskRule && o.Rule == TaskRule && TaskKey(it.Text) == TaskKey(o.Text)
}

// TaskKey is what a task is known by, in whichever list.
func TaskKey(subject string) string { return strings.ToLower(oneLine(subject)) }

// Uncommitted reports whether an item tells of a file that its session wrote, and of which no commit is known.
func (it *Item) Uncommitted() bool {
	return it.Kind == File && it.Status != FileDone && it.Current() && wrote().MatchString(it.Text) &&
		!strings.HasSuffix(it.Text, nothingLeft)
}

// EndBy gives an item the state that a deed left it.
func (it *Item) EndBy(d *Deed) {
	switch {
	case it.Rule == OpenedRule:
		it.Since = d.Fate
	case it.Kind == File && d.Text == "": // it may as well have been thrown away
		it.Status, it.Text = "", strings.TrimSuffix(it.Text, ".")+nothingLeft
	case it.Kind == File:
		it.Status, it.Text = FileDone, edited().ReplaceAllString(it.Text, "")
	default:
		it.State = Done
	}
}

// Did is the Relation of a deed to an item that it perhaps did.
const Did Relation = "did"

const (
	nothingLeft = "; nothing left to commit later." // of a file

	fails = `\b(?:fail\w*|red|broken|rot|fehl\w*)\b`
	file  = `[\w-]{3,}\.[a-z]{1,5}\b`
)

var (
	leaves   = text.Pattern(`(?i)\b(not|never|no|without|until|don['’]?t|doesn['’]?t|isn['’]?t|aren['’]?t|won['’]?t|can['’]?t)\b`)
	unended  = text.Pattern(`(?i)\b(reverts?|defer\w*|todo|wip|fixme|postpone\w*|plan\w*|notes?|document\w*|remove\w*|drop\w*|revers\w*)\b`)
	waitsFor = text.Pattern(`(?i)\b(?:until|till|once|bis|sobald)\b[^,.;:!?]{0,40}?([\w.]*\w\(\))`)
	symbol   = text.Pattern(`\b\w{3,}\(\)|\b[a-z]+_\w+|\b[a-z]+[A-Z]\w+|\b[\w-]{3,}\.[a-z]{1,4}\b`)
	failing  = text.Pattern(`(?i)` + fails)
	mayFail  = text.Pattern(`(?i)(?:` + fails + `[^!?]*?` + file + `|` + file + `[^!?]*?` + fails + `)[^!?]*?` +
		`\b(?:until|till|expected|known|on purpose|(?:pass|green|work)\w* (?:again )?(?:when|once)|bis|sobald|` +
		`erwartet|gewollt|absichtlich)\b`)
	inLine   = text.Pattern(`(?i)([\w-]+\.[a-z]{1,4})(?::| line )\d+`)
	edited   = text.Pattern(`^Edited(?: since the last commit)?\.$|(?:, then edited| since the last commit)\b`)
	category = text.Pattern(`^[a-z]+(?:\([^)]*\))?!?: `) // of a conventional commit
)

const (
	sameDeed    = 0.75 // of its words are the item's, all of which it has, if both say the same
	leastDeed   = 3    // words in common
	perhapsDeed = 0.6  // of the item's words
)

// Does reports whether a deed did what an item says is left to do: surely if both say the same or are one task, perhaps
// if the deed has most of its words, names a file or symbol that was put off, the file in a line of which something is,
// or the function until which it holds. A warning says how things are, so it is never surely done; what isn't to be
// done, no deed does.
func (d *Deed) Does(it *Item) (sure, perhaps bool) {
	if d.Now != "" || d.Task && it.Rule == TaskRule && TaskKey(d.Text) == TaskKey(it.Text) {
		return d.Task && d.At.After(it.At), false // for values see Outlive
	}
	if it.Kind == File || it.Rule == OpenedRule || d.Fate != "" {
		return d.Ends(it), false
	}
	kind := it.Kind
	if kind == Lead {
		kind = it.Hint // of a quote: what it looks like
	}
	said := it.Text
	if it.Kind == Lead && len(it.Evidence) > 1 {
		said += " " + it.Evidence[1].Quote // what it replies to
	}
	if until := waitsFor().FindStringSubmatch(said); until != nil {
		return false, d.At.After(it.At) && strings.Contains(d.Text, until[1]) && !unended().MatchString(d.Text)
	}
	place := inLine().FindStringSubmatch(said)
	if kind == "" && place != nil {
		kind = Flag
	}
	left := kind == Deferred || kind == Next || kind == Flag
	if !left || !d.At.After(it.At) || unended().MatchString(d.Text) {
		return false, false
	}
	want, did := text.Words(said), text.Words(category().ReplaceAllString(d.Text, ""))
	shared := want.Shared(did)
	named := func(name string) bool { // of a file, more may be said
		return strings.Contains(d.Text, strings.TrimSuffix(name, "()")) && (shared > 1 || !strings.Contains(name, "."))
	}
	perhaps = kind != Flag && slices.ContainsFunc(symbol().FindAllString(said, -1), named) // in whatever words
	if shared < leastDeed || leaves().MatchString(said) {
		return false, perhaps
	}
	mine, its := want.In(did), did.In(want)
	return kind != Flag && mine == 1 && its >= sameDeed && sameOrder(said, d.Text),
		perhaps || mine >= perhapsDeed || kind == Flag && place != nil && strings.Contains(d.Text, place[1])
}

// Warns reports whether a text names a line of a file, of which it may warn, says until which function exists something
// is as it is, or that a file fails as it must.
func Warns(s string) bool {
	return text.Mentions(s, ":", " line ") && inLine().MatchString(s) ||
		strings.Contains(s, "()") && waitsFor().MatchString(s) ||
		strings.Contains(s, ".") && failing().MatchString(s) && mayFail().MatchString(s)
}

// sameOrder reports whether the words that two texts share come in the same order: "A first, then B" isn't "B first,
// then A".
func sameOrder(a, b string) bool {
	shared := func(s, other string) (all []string) {
		in := text.Words(other)
		for _, w := range text.Content(s) {
			if w = text.Stem(w); in.Has(w) && !slices.Contains(all, w) {
				all = append(all, w)
			}
		}
		return all
	}
	return slices.Equal(shared(a, b), shared(b, a))
}

// isOpen reports whether an item puts something off, says what comes next, or warns; of a quote, whether it looks so.
func (it *Item) isOpen() bool {
	kind := it.Kind
	if kind == Lead {
		kind = it.Hint
	}
	return kind == Deferred || kind == Next || kind == Flag
}

// Waiting are the kinds of what waits for a person.
var Waiting = []Kind{Next, Deferred, Question, Flag}

// Waits returns what an item leaves open, one of Waiting, or "". Of quotes only a session's own tasks do, what it said
// to come next, and what a person put off.
func (it *Item) Waits() Kind {
	kind, _ := it.Under()
	switch {
	case slices.Contains(Waiting, kind):
		return kind
	case kind == Lead && it.By == ByUser && it.Hint == Deferred:
		return Deferred
	}
	return ""
}

// Talk is what sessions said, to find what was spoken of again.
type Talk struct {
	said []saying
	with map[string][]int // the sayings that a word is in
}

type saying struct {
	words   text.Bag
	at      time.Time
	session time.Time // when that began
}

// Add adds what a session was about and what is quoted of it.
func (t *Talk) Add(p *Payload) {
	for i := range p.Items {
		it := &p.Items[i]
		if it.Kind != Lead && it.Kind != Goal {
			continue
		}
		if t.with == nil {
			t.with = map[string][]int{}
		}
		words := text.Words(it.Text)
		for w := range words {
			t.with[w] = append(t.with[w], len(t.said))
		}
		t.said = append(t.said, saying{words, it.At, p.Start})
	}
}

const (
	minTakenUp = 2    // words that two sayings on one subject have in common
	takenUp    = 0.25 // share of the shorter one's words that these are
	rareWord   = 6    // sayings that one of the words is in at most
)

// TakenUp returns when a session after that of an item that leaves something open, or reports how things are, last
// spoke of the same: to do it, to put it off once more, or to change it.
func (t *Talk) TakenUp(it *Item) (last time.Time) {
	if !it.Current() || !it.isOpen() && it.Rule != ReportedRule {
		return last
	}
	mine := text.Words(strings.Join(append(it.Quotes(), it.Text), " "))
	for w := range mine {
		if len(t.with[w]) > rareWord {
			continue
		}
		for _, i := range t.with[w] {
			s := &t.said[i]
			shared := mine.Shared(s.words)
			same := shared >= minTakenUp && float64(shared) >= takenUp*float64(min(len(mine), len(s.words)))
			if same && s.session.After(it.At) && s.at.After(last) {
				last = s.at
			}
		}
	}
	return last
}
