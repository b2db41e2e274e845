package index

import (
	"slices"

	"recall/index/postings"
	"recall/index/words"
)

// vocabulary is the words of one session's texts: a word is stemmed once, and is
// a number from then on.
type vocabulary struct {
	stems  []string
	places []*postings.Word // where a stem's postings go, where asked

	*cutting
}

// cutting is what a vocabulary needs as long as texts are cut, with room that is
// used for one text after the other. It is nil after that: what waits to be put
// in holds none of it.
type cutting struct {
	number map[string]uint32 // of words as they were cut
	ofStem map[string]uint32 // apart: "status" is the stem of "statuses", and its own is "statu"
	sums   []uint64          // of stems, the same in every vocabulary
	at     []uint32          // place of a stem in the bag being filled, from 1

	list   []uint32
	counts []wordCount
	text   []byte
	packed []byte
}

func newVocabulary() *vocabulary {
	return &vocabulary{cutting: &cutting{number: map[string]uint32{}, ofStem: map[string]uint32{}}}
}

// of gives the number of a word as cut.
func (v *vocabulary) of(w string) uint32 {
	if n, ok := v.number[w]; ok {
		return n
	}
	stem := words.Stem(w)
	n, ok := v.ofStem[stem]
	if !ok {
		n = uint32(len(v.stems))
		v.stems = append(v.stems, stem)
		v.ofStem[stem] = n
		v.sums = append(v.sums, uint64(v.hash(stem)))
		v.at = append(v.at, 0)
	}
	v.number[w] = n
	return n
}

// word is where a stem's postings go.
func (v *vocabulary) word(b *postings.Builder, n uint32) *postings.Word {
	if v.places == nil {
		v.places = make([]*postings.Word, len(v.stems))
	}
	if v.places[n] == nil {
		v.places[n] = b.Word(v.stems[n])
	}
	return v.places[n]
}

// cut adds a text's words in order, stop words left out, at most limit; all if
// limit is negative.
func (v *vocabulary) cut(to []uint32, limit int, text string) []uint32 {
	if limit == 0 {
		return to
	}
	n := 0
	words.Each(text, func(w string) bool {
		if words.Stop(w) {
			return true
		}
		to = append(to, v.of(w))
		n++
		return n != limit
	})
	return to
}

// bag is a document as it is searched: how often each word stands in each
// column.
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
	counts := v.counts[:0]
	for c, list := range columns {
		b.size += len(list)
		for _, w := range list {
			if v.at[w] == 0 {
				counts = append(counts, wordCount{word: w})
				v.at[w] = uint32(len(counts))
			}
			counts[v.at[w]-1].n[c]++
		}
	}
	for _, c := range counts {
		v.at[c.word] = 0
	}
	v.counts = counts
	b.counts = slices.Clone(counts)
	return b
}

// sum tells lists of words apart.
func (v *vocabulary) sum(list []uint32) int64 {
	h := uint64(14695981039346656037)
	for _, w := range list {
		h = (h ^ v.sums[w]) * 1099511628211
	}
	return int64(h)
}
