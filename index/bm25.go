package index

import (
	"cmp"
	"context"
	"math"
	"slices"

	"recall/index/postings"
)

// BM25 parameters as in SQLite's FTS5.
const (
	bm25K = 1.2
	bm25B = 0.75
)

// scores returns the BM25 scores of a table's documents for some words.
func (f *fulltext) scores(ctx context.Context, table int, weights [postings.Columns]float64,
	stems []string) (map[int64]float64, error) {
	total := map[int64]float64{}
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
		idf := inverseFrequency(docs, float64(len(list)))
		for _, m := range list {
			total[m.Doc] += idf * termFrequency(m.Counts, weights, float64(m.size)/average)
		}
	}
	return total, nil
}

// termFrequency is the term frequency part of BM25; long is the document's length relative to the average.
func termFrequency(counts [postings.Columns]uint32, weights [postings.Columns]float64, long float64) float64 {
	freq := weights[0]*float64(counts[0]) + weights[1]*float64(counts[1])
	return freq * (bm25K + 1) / (freq + bm25K*(1-bm25B+bm25B*long))
}

// inverseFrequency is the inverse document frequency of a word in n documents.
func inverseFrequency(docs, n float64) float64 { return max(math.Log((docs-n+0.5)/(n+0.5)), 1e-6) }

// match is a document that contains a word.
type match struct {
	postings.Posting
	size uint16
}

// holders appends the documents that contain a word and still exist, in order.
func (f *fulltext) holders(ctx context.Context, table int, stem string, to []match) ([]match, error) {
	of := f.known[stem]
	if of == nil {
		return to, nil
	}
	to = slices.Grow(to, f.listedDocs(stem, table))
	for _, p := range of.places {
		r, read := postings.Read(p.lists[table].Data), 0
		for one, ok := r.Next(); ok; one, ok = r.Next() {
			d, err := f.sizes.of(ctx, table, one.Doc)
			if err != nil {
				return nil, err
			}
			if d.words > 0 {
				to = append(to, match{one, d.words})
			}
			read++
		}
		if r.Err() != nil || read != p.lists[table].Docs { // the row belongs to another list
			return nil, postings.ErrDamaged
		}
	}
	if of.merged {
		slices.SortFunc(to, func(a, b match) int { return cmp.Compare(a.Doc, b.Doc) })
		to = mergeDuplicates(to)
	}
	return to, nil
}

// mergeDuplicates merges entries of the same document in a sorted list.
func mergeDuplicates(list []match) []match {
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

type scoredDoc struct {
	doc   int64
	score float64
}

// best returns the n best of a list, ties by number so that the same question gets the same answer.
func best(list []scoredDoc, n int) []scoredDoc {
	return topN(list, n, func(a, b scoredDoc) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.doc, b.doc))
	})
}

// topN returns the first n of a list in order, reusing its memory.
func topN[T any](list []T, n int, compare func(a, b T) int) []T {
	n = min(n, len(list))
	first := list[:n]
	slices.SortFunc(first, compare)
	for _, x := range list[n:] {
		if n == 0 || compare(x, first[n-1]) >= 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(first, x, compare)
		copy(first[at+1:], first[at:])
		first[at] = x
	}
	return first
}
