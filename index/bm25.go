package index

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"recall/index/postings"
)

// BM25 as SQLite's FTS5 and most others have it.
const (
	bm25K = 1.2
	bm25B = 0.75
)

// scores adds up how well documents of a table match each of some words.
func (f *fulltext) scores(ctx context.Context, table int, weights [postings.Columns]float64, stems []string) (*sums, error) {
	if err := f.fetch(ctx, table, stems, math.MaxInt); err != nil {
		return nil, err
	}
	most := 0
	for _, s := range stems {
		most += f.most(s, table)
	}
	total := newSums(min(most, int(f.state.docs[table])))
	docs := float64(f.state.docs[table])
	if docs == 0 {
		return total, nil
	}
	average := max(float64(f.state.words[table])/docs, 1)
	var room []match
	for _, s := range stems {
		list, err := f.holders(ctx, table, s, room[:0])
		if err != nil {
			return nil, err
		}
		room = list
		idf := inverse(docs, float64(len(list)))
		for _, m := range list {
			freq := weights[0]*float64(m.Counts[0]) + weights[1]*float64(m.Counts[1])
			long := bm25K * (1 - bm25B + bm25B*float64(m.size)/average)
			if !total.add(m.Doc, idf*freq*(bm25K+1)/(freq+long)) {
				return nil, fmt.Errorf("more documents hold a word than there are: %w", ErrRebuild)
			}
		}
	}
	return total, nil
}

// inverse is the weight of what stands in n of so many documents.
func inverse(docs, n float64) float64 { return max(math.Log((docs-n+0.5)/(n+0.5)), 1e-6) }

// match is a document that holds a word.
type match struct {
	postings.Posting
	size uint16
}

// holders appends the documents that hold a word and are still there, in order.
func (f *fulltext) holders(ctx context.Context, table int, stem string, to []match) ([]match, error) {
	of := f.known[stem]
	if of == nil {
		return to, nil
	}
	to = slices.Grow(to, f.most(stem, table))
	for _, p := range of.places {
		data, _ := f.postings(p.lists[table])
		r, read := postings.Read(data), 0
		for one, ok := r.Next(); ok; one, ok = r.Next() {
			size, err := f.sizes.of(ctx, table, one.Doc)
			if err != nil {
				return nil, err
			}
			if size > 0 {
				to = append(to, match{one, size})
			}
			read++
		}
		if r.Err() != nil || read != p.lists[table].Docs { // another's row
			return nil, postings.ErrDamaged
		}
	}
	if of.merged {
		slices.SortFunc(to, func(a, b match) int { return cmp.Compare(a.Doc, b.Doc) })
		to = united(to)
	}
	return to, nil
}

// united makes one of what stands several times in a sorted list.
func united(list []match) []match {
	out := list[:0]
	for _, m := range list {
		if n := len(out); n > 0 && out[n-1].Doc == m.Doc {
			for c := range m.Counts {
				out[n-1].Counts[c] += m.Counts[c]
			}
			continue
		}
		out = append(out, m)
	}
	return out
}

// sums are scores by document, in a table with open addresses: a search adds
// to some thousand of them.
type sums struct {
	list []scoredDoc // a power of two, more than there will be; doc 0 is free room
	n    int
}

type scoredDoc struct {
	doc   int64
	score float64
}

// newSums makes room for n documents.
func newSums(n int) *sums { return &sums{list: make([]scoredDoc, 2<<bits.Len(uint(n)))} }

// add adds to a document's score; false if there is no room.
func (s *sums) add(doc int64, score float64) bool {
	at := s.at(doc)
	if at.doc == 0 {
		if s.n++; s.n == len(s.list) {
			return false // one place stays free, where looking ends
		}
		at.doc = doc
	}
	at.score += score
	return true
}

func (s *sums) at(doc int64) *scoredDoc {
	mask := uint64(len(s.list) - 1)
	i := uint64(doc) * 0x9e3779b97f4a7c15 >> 20 & mask
	for s.list[i].doc != 0 && s.list[i].doc != doc {
		i = (i + 1) & mask
	}
	return &s.list[i]
}

// all lists the documents, in no order.
func (s *sums) all() []scoredDoc {
	out := make([]scoredDoc, 0, s.n)
	for _, d := range s.list {
		if d.doc != 0 {
			out = append(out, d)
		}
	}
	return out
}

// best sorts the n best of a list, ties by number so that the same question
// gets the same answer.
func best(list []scoredDoc, n int) []scoredDoc {
	return firsts(list, n, func(a, b scoredDoc) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.doc, b.doc))
	})
}

// firsts sorts the first n of a list, in place.
func firsts[T any](list []T, n int, compare func(a, b T) int) []T {
	if n < len(list) {
		list = partition(list, n, compare)
	}
	slices.SortFunc(list, compare)
	return list
}

// partition moves the first n to the front, in no order, and gives them.
func partition[T any](list []T, n int, compare func(a, b T) int) []T {
	from, to := 0, len(list)
	for to-from > 1 {
		pivot := list[from+(to-from)/2]
		i, j := from, to-1
		for i <= j {
			for compare(list[i], pivot) < 0 {
				i++
			}
			for compare(list[j], pivot) > 0 {
				j--
			}
			if i <= j {
				list[i], list[j] = list[j], list[i]
				i++
				j--
			}
		}
		switch {
		case n <= j:
			to = j + 1
		case n > i:
			from = i
		default: // between i and j all are equal
			return list[:n]
		}
	}
	return list[:n]
}
