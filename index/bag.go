package index

import (
	"recall/index/postings"
	"recall/internal/text"
)

// vocabulary numbers the words of one session's texts, so that each is stemmed only once.
type vocabulary struct {
	stems          []string
	ofWord, ofStem map[string]uint32 // numbers of stems, by word as written and by stem
	places         []*postings.Lists // a stem's postings, filled on demand

	at []uint32 // place of a stem in the bag being filled, from 1

	list []uint32 // scratch buffer for a text's words
	text []byte   // and for a text

	opening [3]struct { // the opening words of recent turns
		of    int // index of the turn, from 1
		words []uint32
	}
}

func newVocabulary() *vocabulary {
	return &vocabulary{ofWord: map[string]uint32{}, ofStem: map[string]uint32{}}
}

// number returns the number of a word.
func (v *vocabulary) number(w string) uint32 {
	if n, ok := v.ofWord[w]; ok {
		return n
	}
	stem := text.Stem(w)
	n, ok := v.ofStem[stem]
	if !ok {
		n = uint32(len(v.stems))
		v.stems, v.at = append(v.stems, stem), append(v.at, 0)
		v.ofStem[stem] = n
	}
	v.ofWord[w] = n
	return n
}

// lists returns a stem's postings.
func (v *vocabulary) lists(w postings.Words, n uint32) *postings.Lists {
	if int(n) >= len(v.places) {
		v.places = append(v.places, make([]*postings.Lists, len(v.stems)-len(v.places))...)
	}
	if v.places[n] == nil {
		v.places[n] = w.Of(v.stems[n])
	}
	return v.places[n]
}

// cut appends a text's words in order, without stop words: at most limit, or all if limit is negative.
func (v *vocabulary) cut(to []uint32, limit int, s string) []uint32 {
	if limit == 0 {
		return to
	}
	n := 0
	text.Each(s, func(w string) bool {
		if text.Stop(w) {
			return true
		}
		to = append(to, v.number(w))
		n++
		return n != limit
	})
	return to
}

// bag is a document as it is searched: how often each word occurs in each column.
type bag struct {
	counts []wordCount
	size   int // words in all columns
}

type wordCount struct {
	word uint32
	n    [postings.Columns]uint32
}

// bag counts the words of a document's columns.
func (v *vocabulary) bag(columns ...[]uint32) (b bag) {
	n := uint32(0)
	for _, list := range columns {
		b.size += len(list)
		for _, w := range list {
			if v.at[w] == 0 {
				n++
				v.at[w] = n
			}
		}
	}
	b.counts = make([]wordCount, n)
	for c, list := range columns {
		for _, w := range list {
			count := &b.counts[v.at[w]-1]
			count.word = w
			count.n[c]++
		}
	}
	for _, c := range b.counts {
		v.at[c.word] = 0
	}
	return b
}
