package index

import (
	"recall/index/postings"
	"recall/text"
)

// vocabulary is the words of one session's texts: a word is stemmed once, and is
// a number from then on.
type vocabulary struct {
	stems  []string
	number map[string]numbered
	sums   []uint64         // of stems, the same in every vocabulary
	places []*postings.Word // where a stem's postings go, where asked

	at []uint32 // place of a stem in the bag being filled, from 1

	list []uint32 // room for a text's words
	text []byte   // and for a text

	opening [3]struct { // how turns begin that were cut lately
		of    int // place of the turn, from 1
		words []uint32
	}
}

// cutAll frees what only cutting took, however long the rows wait to be put in.
func (v *vocabulary) cutAll() { v.number, v.sums, v.at, v.list, v.text = nil, nil, nil, nil, nil }

// numbered is the number of a word as it was cut and that of the same letters as a stem,
// from 1; 0 for what hasn't been met. They are apart: "status" is the stem of "statuses",
// and its own is "statu".
type numbered struct{ cut, stem uint32 }

// wordsIn is about how many words texts of so many bytes hold, each counted once:
// that is the room that is made for them.
func wordsIn(bytes int) int { return min(bytes/16, 4096) }

func newVocabulary(room int) *vocabulary {
	return &vocabulary{
		number: make(map[string]numbered, room),
		stems:  make([]string, 0, room),
		sums:   make([]uint64, 0, room),
		at:     make([]uint32, 0, room),
	}
}

// of gives the number of a word as cut.
func (v *vocabulary) of(w string) uint32 {
	n := v.number[w]
	if n.cut > 0 {
		return n.cut - 1
	}
	stem := text.Stem(w)
	of := v.number[stem]
	if of.stem == 0 {
		v.stems = append(v.stems, stem)
		v.sums = append(v.sums, uint64(v.hash(stem)))
		v.at = append(v.at, 0)
		of.stem = uint32(len(v.stems))
		v.number[stem] = of
	}
	n = v.number[w] // which may be the stem
	n.cut = of.stem
	v.number[w] = n
	return n.cut - 1
}

// word is where a stem's postings go.
func (v *vocabulary) word(b *postings.Builder, n uint32) *postings.Word {
	if int(n) >= len(v.places) {
		v.places = append(v.places, make([]*postings.Word, len(v.stems)-len(v.places))...)
	}
	if v.places[n] == nil {
		v.places[n] = b.Word(v.stems[n])
	}
	return v.places[n]
}

// cut adds a text's words in order, stop words left out, at most limit; all if
// limit is negative.
func (v *vocabulary) cut(to []uint32, limit int, s string) []uint32 {
	if limit == 0 {
		return to
	}
	n := 0
	text.Each(s, func(w string) bool {
		if text.Stop(w) {
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

// sum tells lists of words apart.
func (v *vocabulary) sum(list []uint32) int64 {
	h := uint64(14695981039346656037)
	for _, w := range list {
		h = (h ^ v.sums[w]) * 1099511628211
	}
	return int64(h)
}
