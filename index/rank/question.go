// Package rank takes the second look at the first candidates of a search: a linear model with few weights
// scores them by what BM25 can't see.
//
// A Question is made once; Look turns each candidate into Features; Weights score them. The shipped weights
// (weights.txt) are fitted by
//
//	go run ./eval/train/rank -shared DIR -write
//
// which also prints how good they are on projects that they were not fitted to.
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
	most  float64        // the highest IDF
	place map[string]int // stem to term
	kin   map[string][]Kin
	first map[uint16]bool // beginnings of relevant stems; other words needn't be stemmed

	text     string
	said     []string // all its stems, including small words, each once
	concepts []Concept

	asked map[payload.Kind]bool
	tried bool // it asks whether something was tried
	why   bool
	past  bool // it asks what was, not what is
}

// Ask prepares a question; terms and concepts beyond MostTerms are ignored.
func Ask(text string, terms []Term, kin []Kin, concepts []Concept) *Question {
	q := &Question{terms: terms[:min(len(terms), MostTerms)], place: map[string]int{}, kin: map[string][]Kin{},
		first: map[uint16]bool{},
		text:  text, concepts: concepts[:min(len(concepts), MostTerms)]}
	for i, t := range q.terms {
		q.total += t.IDF
		q.most = max(q.most, t.IDF)
		q.place[t.Stem] = i
		q.first[beginning(t.Stem)] = true
	}
	for _, k := range kin {
		if k.Term >= len(q.terms) || len(k.Stems) == 0 {
			continue
		}
		q.kin[k.Stems[0]] = append(q.kin[k.Stems[0]], k)
		for _, s := range k.Stems {
			q.first[beginning(s)] = true
		}
	}
	q.readForm(text)
	q.recordStems(text)
	return q
}

// recordStems records the question's stems, at most MostTerms.
func (q *Question) recordStems(asked string) {
	seen := map[string]bool{}
	add := func(stem string) bool {
		if !seen[stem] {
			seen[stem] = true
			q.said = append(q.said, stem)
		}
		return len(q.said) < MostTerms
	}
	for _, t := range q.terms { // these have corrected typos
		if !add(t.Stem) {
			return
		}
	}
	text.Each(asked, func(w string) bool { return add(text.Stem(w)) })
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
func (q *Question) Asks(k payload.Kind) bool { return q.asked[k] }

// beginning is the first two bytes of a word. Stemming changes only a word's end, so a word with another
// beginning than all wanted stems can't match.
func beginning(w string) uint16 {
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

// share is how much of the question's weight a set of its terms has, 0 to 1.
func (q *Question) share(s set) float64 {
	if q.total == 0 {
		return 0
	}
	return q.weight(s) / q.total
}

func (q *Question) weight(s set) float64 {
	var sum float64
	for ; s != 0; s &= s - 1 {
		sum += q.terms[bits.TrailingZeros64(uint64(s))].IDF
	}
	return sum
}

// rarest is the highest IDF in a set relative to the question's highest.
func (q *Question) rarest(s set) float64 {
	var top float64
	for ; s != 0; s &= s - 1 {
		top = max(top, q.terms[bits.TrailingZeros64(uint64(s))].IDF)
	}
	if q.most == 0 {
		return 0
	}
	return top / q.most
}

// many is the share of the question's terms that are in a set, 0 to 1.
func (q *Question) many(s set) float64 {
	return float64(bits.OnesCount64(uint64(s))) / float64(max(len(q.terms), 1))
}

// found is what one text contains of a question.
type found struct {
	terms set // in it
	kin   set // with a related phrase in it
	begin set // among its first content words
	words int // number of content words
}

// topic is how many content words at the beginning of a text state its topic.
const topic = 2

// read finds the question's terms and related phrases in a text.
func (q *Question) read(s string) found {
	var t found
	var open []opened
	text.Each(s, func(w string) bool {
		if text.Stop(w) {
			return true
		}
		t.words++
		if !q.first[beginning(w)] {
			open = open[:0]
			return true
		}
		stem := text.Stem(w)
		if i, ok := q.place[stem]; ok {
			t.terms |= 1 << i
			if t.words <= topic {
				t.begin |= 1 << i
			}
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

// likeness is how much the question and a text have in common, 0 to 1 (Dice's coefficient; the text's other
// words count as the question's mean).
func (q *Question) likeness(t found) float64 {
	if q.total == 0 {
		return 0
	}
	mean := q.total / float64(len(q.terms))
	both := q.weight(t.terms)
	rest := float64(max(t.words-bits.OnesCount64(uint64(t.terms)), 0)) * mean
	return 2 * both / (q.total + both + rest)
}
