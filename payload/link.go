package payload

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Relation is how a later item relates to an earlier one.
type Relation string

const (
	Same        Relation = "same"        // says it again
	Refines     Relation = "refines"     // adds to it; both hold
	Supersedes  Relation = "supersedes"  // replaces it
	Contradicts Relation = "contradicts" // can't both hold, and it is open which one does
)

// Relations lists all relations.
var Relations = []Relation{Same, Refines, Supersedes, Contradicts}

// LinkOp is the operation of a line in links.jsonl.
type LinkOp string

const (
	OpLink    LinkOp = "link"
	OpRetract LinkOp = "retract" // withdraws the maker's link between the two; a person's retraction withdraws any maker's
	OpUnsay   LinkOp = "unsay"   // withdraws a person's statement about the two: other makers' links count again
)

// Link is a line of links.jsonl: the claim, with evidence on both sides, that a later item relates to an earlier one.
// A claim is withdrawn by another line.
type Link struct {
	Op       LinkOp   `json:"op"`
	Relation Relation `json:"relation,omitempty"` // for OpLink
	From     ItemID   `json:"from"`               // the later item
	To       ItemID   `json:"to"`                 // the earlier one

	FromSession  string    `json:"from_session"`
	ToSession    string    `json:"to_session"`
	FromEvidence *Evidence `json:"from_evidence,omitempty"` // nil if a person wrote the item
	ToEvidence   *Evidence `json:"to_evidence,omitempty"`

	Maker     Maker     `json:"maker"`
	Rule      string    `json:"rule,omitempty"`      // the rule or prompt that made it
	Precision float64   `json:"precision,omitempty"` // 0–1, as measured; for rules and models
	Collapses bool      `json:"collapses,omitempty"` // certain enough to show From alone; always true of a person's
	At        time.Time `json:"at"`                  // when From was said; the link takes effect then

	Who  string    `json:"who,omitempty"` // the person, if one said it
	Said time.Time `json:"said,omitzero"` // when the person said it
}

// EvidenceOf returns the evidence that a link cites for an item at one of its ends.
func EvidenceOf(it *Item) *Evidence {
	if len(it.Evidence) == 0 {
		return nil
	}
	e := it.Evidence[0]
	return &e
}

// Hides reports whether the link makes From replace To on display.
func (l *Link) Hides() bool {
	return (l.Collapses || l.Maker == ByHuman) && (l.Relation == Supersedes || l.Relation == Same)
}

// Overtaken returns the latest of the surest links that say something replaced the item, or nil. If not sure, both
// items are shown, this one with a remark. holds reports whether a link's other item itself holds; otherwise it
// replaces nothing.
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

// Became returns what an item of this kind becomes when a later one replaces it.
func (k Kind) Became() string {
	switch k {
	case Question:
		return "answered"
	case Deferred:
		return "taken up"
	}
	return string(Superseded)
}

// A Doubt says what replaced an item, may have replaced it, or contradicts it.
type Doubt struct {
	By       ItemID    `json:"by"`
	At       time.Time `json:"at"`
	Relation Relation  `json:"relation"`
	Sure     bool      `json:"sure,omitempty"`  // it did replace the item
	Words    string    `json:"words,omitempty"` // a person's, if it quotes them
}

// Doubt returns what a link says about the item it ends at.
func (l *Link) Doubt() Doubt {
	return Doubt{By: l.From, At: l.At, Relation: l.Relation, Sure: l.Hides()}
}

// Word describes the doubt about an item of a kind: "superseded", "contradicted", "later on the same subject".
func (d Doubt) Word(of Kind) string {
	switch {
	case d.Relation == Contradicts:
		return "contradicted"
	case d.Relation == Same:
		return "said again"
	case d.Relation == Did:
		return "perhaps done since"
	case d.Sure:
		return of.Became()
	}
	return "later on the same subject"
}

// Note says in parentheses what replaced an item of a kind, may have, or contradicts it; "" if nothing did.
func (d Doubt) Note(of Kind) string {
	if d.By == "" {
		return ""
	}
	return fmt.Sprintf(" (%s %s by [%s])", d.Word(of), d.At.UTC().Format(time.DateOnly), d.By)
}

// Check returns what is wrong with a line, or nil.
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

// StandingLinks returns the links that hold after all lines, ordered by time, then items, regardless of the order of
// the lines. Each maker's last line counts; a person's overrides a model's, a model's overrides a rule's, and a
// person's link also overrides any in the opposite direction. If makers are given, only their lines count.
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
	standing := slices.Grow([]Link(nil), len(last))
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
	if len(standing) == 0 {
		return nil
	}
	slices.SortFunc(standing, func(a, b Link) int { return a.InTime(&b) })
	return standing
}

// InTime compares links by time, then items.
func (l *Link) InTime(k *Link) int {
	return cmp.Or(l.At.Compare(k.At), cmp.Compare(l.From, k.From), cmp.Compare(l.To, k.To))
}

// makers lists the makers of links, the most authoritative first.
var makers = [...]Maker{ByHuman, ByModel, ByRule}

// saidOf holds each maker's last line about two items, nil if there is none.
type saidOf [len(makers)]*Link

// strongest returns the line that prevails and whether it is a link.
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
