package payload

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Relation is how a later item bears on an earlier one.
type Relation string

const (
	Same        Relation = "same"        // says it again
	Refines     Relation = "refines"     // adds to it; both hold
	Supersedes  Relation = "supersedes"  // takes its place
	Contradicts Relation = "contradicts" // can't hold beside it, and it is open which one does
)

// Relations lists all of them.
var Relations = []Relation{Same, Refines, Supersedes, Contradicts}

// LinkOp is what a line of links.jsonl does.
type LinkOp string

const (
	OpLink    LinkOp = "link"
	OpRetract LinkOp = "retract" // takes back the maker's link between the two, a person's that of any maker
	OpUnsay   LinkOp = "unsay"   // takes back a person's word on the two: what other makers say holds again
)

// Link is a line of links.jsonl: the claim, with evidence on both sides, that a later item bears on an earlier one.
// Taking back is one more line.
type Link struct {
	Op       LinkOp   `json:"op"`
	Relation Relation `json:"relation,omitempty"` // of OpLink
	From     ItemID   `json:"from"`               // the later item
	To       ItemID   `json:"to"`                 // the earlier one

	FromSession  string    `json:"from_session"`
	ToSession    string    `json:"to_session"`
	FromEvidence *Evidence `json:"from_evidence,omitempty"` // none where a person wrote the item
	ToEvidence   *Evidence `json:"to_evidence,omitempty"`

	Maker     Maker     `json:"maker"`
	Rule      string    `json:"rule,omitempty"`      // which rule or prompt
	Precision float64   `json:"precision,omitempty"` // 0–1, as measured; of rules and models
	Collapses bool      `json:"collapses,omitempty"` // sure enough to show From alone; a person's always is
	At        time.Time `json:"at"`                  // when From was said: it bears on To from then on

	Who  string    `json:"who,omitempty"` // of a person
	Said time.Time `json:"said,omitzero"` // when the person said so
}

// EvidenceOf is what a link says that an item at one of its ends rests on.
func EvidenceOf(it *Item) *Evidence {
	if len(it.Evidence) == 0 {
		return nil
	}
	e := it.Evidence[0]
	return &e
}

// Hides reports whether the link lets From stand for To.
func (l *Link) Hides() bool {
	return (l.Collapses || l.Maker == ByHuman) && (l.Relation == Supersedes || l.Relation == Same)
}

// Overtaken says what took an item's place, by the latest of the surest links that end at it, or nil. If not sure, both
// items are shown, this one with a word of that. holds reports whether a link's other item holds itself: else it takes
// nobody's place.
func Overtaken(id ItemID, links []Link, holds func(Link) bool) (by *Link, sure bool) {
	for i := range links {
		k := &links[i]
		switch {
		case k.To != id, !k.Hides() && k.Relation != Supersedes && k.Relation != Contradicts:
		case by != nil && sure && !k.Hides(), by != nil && sure == k.Hides() && !k.At.After(by.At):
		case holds(*k):
			by, sure = k, k.Hides()
		}
	}
	return by, sure
}

// Became is what a later item makes of one of its kind whose place it takes.
func (k Kind) Became() string {
	switch k {
	case Question:
		return "answered"
	case Deferred:
		return "taken up"
	}
	return string(Superseded)
}

// A Doubt is what took an item's place, may have, or contradicts it.
type Doubt struct {
	By       ItemID    `json:"by"`
	At       time.Time `json:"at"`
	Relation Relation  `json:"relation"`
	Sure     bool      `json:"sure,omitempty"` // it took its place
}

// Doubt is what a link says of the item that it ends at.
func (l *Link) Doubt() Doubt { return Doubt{l.From, l.At, l.Relation, l.Hides()} }

// Word is the doubt as it is told of an item of a kind: "perhaps superseded", "contradicted".
func (d Doubt) Word(of Kind) string {
	switch {
	case d.Relation == Contradicts:
		return "contradicted"
	case d.Relation == Same:
		return "said again"
	case d.Sure:
		return of.Became()
	}
	return "perhaps " + of.Became()
}

// Check returns what is wrong with a line.
func (l Link) Check() error {
	wrong := ""
	switch {
	case l.Op != OpLink && l.Op != OpRetract && l.Op != OpUnsay:
		wrong = fmt.Sprintf("unknown operation %q", l.Op)
	case l.From == "" || l.To == "" || l.From == l.To:
		wrong = "want two items"
	case l.Maker == "":
		wrong = "no maker"
	case l.Op == OpLink && !slices.Contains(Relations, l.Relation):
		wrong = fmt.Sprintf("unknown relation %q", l.Relation)
	default:
		return nil
	}
	return fmt.Errorf("link from %s to %s: %s", l.From, l.To, wrong)
}

// StandingLinks returns the links that hold after all lines, in order of time, then items, whatever order makers wrote
// in: each maker's last line counts, a person's word before a model's, a model's before a rule's, a person's link also
// before any the other way round. Where makers are named, no other's lines count.
func StandingLinks(lines []Link, of ...Maker) []Link {
	last := make(map[[2]ItemID]*saidOf, len(lines))
	for i := range lines {
		l := &lines[i]
		if len(of) > 0 && !slices.Contains(of, l.Maker) {
			continue
		}
		pair := [2]ItemID{l.From, l.To}
		said := last[pair]
		if said == nil {
			said = &saidOf{}
			last[pair] = said
		}
		for m, maker := range makers {
			if l.Maker == maker && !(said[m] != nil && maker == ByHuman && l.Said.Before(said[m].Said)) {
				said[m] = l
			}
		}
	}
	var standing []Link
	for pair, said := range last {
		l, ok := said.strongest()
		if !ok {
			continue
		}
		back, both := last[[2]ItemID{pair[1], pair[0]}].strongest()
		if !(both && back.Maker == ByHuman && (l.Maker != ByHuman || l.Said.Before(back.Said))) {
			standing = append(standing, *l)
		}
	}
	slices.SortFunc(standing, func(a, b Link) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return standing
}

// makers are those of links, the one whose word counts most first.
var makers = [...]Maker{ByHuman, ByModel, ByRule}

// saidOf is each maker's last line on two items, nil where there is none.
type saidOf [len(makers)]*Link

// strongest is what holds of them.
func (s *saidOf) strongest() (*Link, bool) {
	if s == nil {
		return nil, false
	}
	for m, maker := range makers {
		if l := s[m]; l != nil && l.Op != OpUnsay && (l.Op == OpLink || maker == ByHuman) {
			return l, l.Op == OpLink
		}
	}
	return nil, false
}
