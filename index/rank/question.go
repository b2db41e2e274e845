// Package rank reads a question and what may answer it: what kind of answer is asked for, how much of the question a
// text holds, in the same words or in the lexicon's, and which part of it to show.
package rank

import (
	_ "embed"
	"math/bits"
	"strings"
	"sync"

	"recall/internal/text"
	"recall/payload"
)

// Term is one word of a question.
type Term struct {
	Stem string
	IDF  float64 // the rarer, the higher
}

// Kin is a phrase that the lexicon knows for one of a question's terms.
type Kin struct {
	Term  int      // index of the term
	Stems []string // of the phrase, without small words
}

// MostTerms is how many terms of a question are used.
const MostTerms = 64

// Question is a question prepared for comparison with candidates.
type Question struct {
	terms []Term
	total float64        // of all IDF
	place map[string]int // stem to term
	kin   map[string][]Kin
	first [1 << 16 / 64]uint64 // a bit for each beginning of relevant stems; other words needn't be stemmed
	stems map[string]string    // of words read before, "" of small ones
	turns map[string]readTurn  // those read before: exchanges overlap

	asked map[payload.Kind]bool
	tried bool // it asks whether something was tried
	why   bool
	past  bool // it asks what was, not what is
}

// Ask prepares a question; terms beyond MostTerms are ignored.
func Ask(text string, terms []Term, kin []Kin) *Question {
	q := &Question{terms: terms[:min(len(terms), MostTerms)], place: map[string]int{}, kin: map[string][]Kin{},
		stems: map[string]string{}, turns: map[string]readTurn{}}
	begins := func(stem string) {
		b := firstBytes(stem)
		q.first[b/64] |= 1 << (b % 64)
	}
	for i, t := range q.terms {
		q.total += t.IDF
		q.place[t.Stem] = i
		begins(t.Stem)
	}
	for _, k := range kin {
		if k.Term >= len(q.terms) || len(k.Stems) == 0 {
			continue
		}
		q.kin[k.Stems[0]] = append(q.kin[k.Stems[0]], k)
		for _, s := range k.Stems {
			begins(s)
		}
	}
	q.readForm(text)
	return q
}

var askedBy = sync.OnceValue(func() map[string][]payload.Kind {
	by := map[string][]payload.Kind{}
	for line := range strings.Lines(askedText) {
		kind, words, _ := strings.Cut(line, ": ")
		for w := range strings.FieldsSeq(words) {
			by[w] = append(by[w], payload.Kind(kind))
		}
	}
	return by
})

//go:embed asked.txt
var askedText string

// triedForm matches questions whether something was tried or why it isn't used, which are answered by what was
// ruled out.
var triedForm = text.Pattern(`^\s*(?:` +
	`(?:did|have|had|has|didn't|haven't) (?:we|i|you|they|anyone|somebody)\b` +
	`.*\b(?:try|tried|test(?:ed)?|consider(?:ed)?|look(?:ed)? at|rule[d]? out)\b|` +
	`what (?:did|have|had|has) (?:we|i|you|they) (?:rule[d]? out|reject(?:ed)?|drop(?:ped)?|` +
	`discard(?:ed)?|abandon(?:ed)?)\b|` +
	`what was (?:ruled out|rejected|discarded|abandoned)\b|` +
	`why (?:not|didn't|don't|aren't|isn't|did we (?:not|drop|reject|rule out|give up))\b)`)

// longestForm is how much of a question is read for its form, in bytes.
const longestForm = 1 << 10

// readForm finds out what kind of answer is asked for.
func (q *Question) readForm(asked string) {
	asked = text.Head(asked, longestForm)
	q.asked = map[payload.Kind]bool{}
	text.Each(asked, func(w string) bool {
		for _, k := range askedBy()[w] {
			q.asked[k] = true
		}
		q.why = q.why || w == "why" || w == "reason" || w == "because"
		return true
	})
	q.tried = triedForm().MatchString(strings.ToLower(asked))
	q.past = pastForm().MatchString(asked)
}

// pastForm matches words by which a question asks about a former state.
var pastForm = text.Pattern(`(?i)\b(?:original(?:ly)?|initial(?:ly)?|first|previous(?:ly)?|used to|back then|` +
	`earlier|former(?:ly)?|old|before)\b`)

// Past reports whether it asks what was, not what is.
func (q *Question) Past() bool { return q.past }

// Asks reports whether it asks for items of a kind.
func (q *Question) Asks(k payload.Kind) bool { return q.asked[k] || q.tried && k == payload.Eliminated }

// AsOfSession reports whether items of a kind say how things stood in their session, which the next session may
// have changed without saying so.
func AsOfSession(k payload.Kind) bool {
	return k == payload.Next || k == payload.Status || k == payload.Goal
}

// Settles reports whether items of a kind settle what was open.
func Settles(k payload.Kind) bool {
	return k == payload.Decision || k == payload.Flag || k == payload.Eliminated || k == payload.Finding
}

// LeavesOpen reports whether items of a kind leave something open.
func LeavesOpen(k payload.Kind) bool {
	return k == payload.Question || k == payload.Deferred || k == payload.Hypothesis
}

// AsksFor reads a question: the kinds of items that its words ask for, whether they name a topic besides, and how many
// they are.
func AsksFor(s string) (kinds []payload.Kind, topic bool, n int) {
	s = strings.NewReplacer("?", " ", "!", " ", ",", " ", ";", " ", ":", " ", "…", " ", "¿", " ").Replace(s)
	s = text.OneLine(strings.TrimRight(s, ". "))
	know := Phrases()
	for _, form := range know.Pairs {
		if strings.Contains(" "+s+" ", " "+form.Text+" ") {
			kinds = form.Kinds
			s = strings.Replace(s, form.Text, "", 1)
		}
	}
	text.Each(s, func(w string) bool {
		n++
		if kinds == nil {
			kinds = know.Asks[w]
		}
		topic = Topic(w)
		return !topic
	})
	return kinds, topic, n
}

// firstBytes is the first two bytes of a word. Stemming changes only a word's end, so a word with another
// beginning than all wanted stems can't match.
func firstBytes(w string) uint16 {
	if w == "" {
		return 0
	}
	if len(w) < 2 {
		return uint16(w[0])
	}
	return uint16(w[0])<<8 | uint16(w[1])
}

// set is a subset of a question's terms.
type set uint64

// Held returns which terms of the question a text holds, and how much of the question's weight, 0 to 1: in the
// question's words, and only in the lexicon's.
func (q *Question) Held(s string) (terms uint64, own, kindred float64) {
	if q.total == 0 {
		return 0, 0, 0
	}
	f := q.turns[s].found
	if f == (found{}) {
		f = q.read(s)
	}
	return uint64(f.terms), q.weight(f.terms) / q.total, q.weight(f.kin&^f.terms) / q.total
}

// How an item is found that is about what a question of few words names, and doesn't only mention it.
const (
	fewTerms  = 3
	beginning = 30 // bytes: the two to five words that say what a sentence is about
)

// Few reports whether the question is of few words, which name a subject.
func (q *Question) Few() bool { return len(q.terms) <= fewTerms && q.total > 0 }

// Begins returns how much of a question of few words a text begins with, 0 unless it is most.
func (q *Question) Begins(said string) float64 {
	if !q.Few() {
		return 0
	}
	if share := q.weight(q.read(text.HeadWords(said, beginning)).terms) / q.total; share > 0.5 {
		return share
	}
	return 0
}

func (q *Question) weight(s set) float64 {
	var sum float64
	for ; s != 0; s &= s - 1 {
		sum += q.terms[bits.TrailingZeros64(uint64(s))].IDF
	}
	return sum
}

// found is what one text contains of a question.
type found struct {
	terms set // in it
	kin   set // with a related phrase in it
}

// read finds the question's terms and related phrases in a text.
func (q *Question) read(s string) found {
	var t found
	var open []opened
	text.Each(s, func(w string) bool {
		if b := firstBytes(w); len(open) == 0 && q.first[b/64]>>(b%64)&1 == 0 {
			return true
		}
		stem, known := q.stems[w]
		if !known {
			stem = text.Stem(w)
			if _, term := q.place[stem]; text.Stop(w) && !term {
				stem = ""
			}
			q.stems[w] = stem
		}
		if stem == "" {
			return true
		}
		if i, ok := q.place[stem]; ok {
			t.terms |= 1 << i
		}
		open = q.advance(&t, open, stem)
		return true
	})
	return t
}

// opened is a phrase of which the first n words were read.
type opened struct {
	kin Kin
	n   int
}

// advance advances the open phrases by one stem.
func (q *Question) advance(t *found, open []opened, stem string) []opened {
	next := open[:0]
	for _, o := range open {
		if o.kin.Stems[o.n] != stem {
			continue
		}
		if o.n++; o.n == len(o.kin.Stems) {
			t.kin |= 1 << o.kin.Term
		} else {
			next = append(next, o)
		}
	}
	for _, k := range q.kin[stem] {
		if len(k.Stems) == 1 {
			t.kin |= 1 << k.Term
		} else {
			next = append(next, opened{k, 1})
		}
	}
	return next
}
