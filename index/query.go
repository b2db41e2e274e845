package index

import (
	"context"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"recall/internal/text"
)

const (
	maxQuestion = 8 << 10 // bytes of a question that are read
	maxTerms    = 64      // distinct words of it that are looked up
	maxSearched = 24      // the rarest of these, which are searched for
)

// term is one word of a question with its statistics in the index.
type term struct {
	word string // as split
	stem string
	df   counts
	idf  float64
}

// counts is how many rows of each full-text table, and how many items of another store, contain a word.
type counts [tableCount + 1]int

// docs returns how many items and turns contain the word.
func (c counts) docs() int { return c[ofItems] + c[ofTurns] + c[ofElsewhere] }

// terms splits a text into its content words, each stem once.
func terms(s string) (out []term) {
	seen := map[string]bool{}
	for _, w := range text.Content(strings.ToValidUTF8(text.HeadMarked(s, maxQuestion), " ")) {
		stem := text.Stem(w)
		if seen[stem] {
			continue
		}
		if len(out) == maxTerms {
			return out
		}
		seen[stem] = true
		out = append(out, term{word: w, stem: stem})
	}
	return out
}

func lookupForms(ts []term) []string {
	out := make([]string, len(ts))
	for i, t := range ts {
		out[i] = termOf(t.word)
	}
	return out
}

// weigh counts how many documents contain each term and computes the usual inverse document frequency over
// items and turns together.
func (r *reader) weigh(ctx context.Context, ts []term) (err error) {
	n := float64(r.size.all() + r.q.Elsewhere.searched())
	for i := range ts {
		if ts[i].df, err = r.fulltext.count(ctx, termOf(ts[i].word)); err != nil {
			return err
		}
		ts[i].df[ofElsewhere] = r.q.Elsewhere.docsWith(ts[i].word)
		df := float64(ts[i].df.docs())
		ts[i].idf = math.Log(1 + (max(n-df, 0)+0.5)/(df+0.5))
	}
	return nil
}

// affordable drops a question's most frequent words, which say least and cost most, until the rest touches no
// more rows of table k than allowed; it always keeps the rarest.
func affordable(ts []term, k int) []term {
	var out []term
	for _, t := range ts {
		if t.df[k] > 0 {
			out = append(out, t)
		}
	}
	slices.SortStableFunc(out, func(a, b term) int { return a.df[k] - b.df[k] })
	sum := 0
	for i, t := range out {
		if sum += t.df[k]; i > 0 && sum > tables[k].rows || i == maxSearched {
			return out[:i]
		}
	}
	return out
}

func isSingleCJK(w string) bool {
	r, n := utf8.DecodeRuneInString(w)
	return n == len(w) && r >= 0x1100
}
