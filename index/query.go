package index

import (
	"context"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"recall/text"
)

const (
	longest  = 8 << 10 // bytes of a question that are read at all
	most     = 64      // distinct words of it that are looked up
	searched = 24      // the rarest of these that are searched for
)

// term is one word of a question with what the index knows of it.
type term struct {
	word string // as cut
	stem string
	df   counts
	idf  float64
}

// counts is how many rows of each full-text table hold a word, and items of another store.
type counts [tableCount + 1]int

// docs is how many items and turns hold the word.
func (c counts) docs() int { return c[ofItems] + c[ofTurns] + c[ofElsewhere] }

// terms cuts a text into its words of content, each stem once.
func terms(s string) (out []term) {
	seen := map[string]bool{}
	for _, w := range text.Content(strings.ToValidUTF8(text.HeadMarked(s, longest), " ")) {
		stem := text.Stem(w)
		if seen[stem] {
			continue
		}
		if len(out) == most {
			return out
		}
		seen[stem] = true
		out = append(out, term{word: w, stem: stem})
	}
	return out
}

func lookedUp(ts []term) []string {
	out := make([]string, len(ts))
	for i, t := range ts {
		out[i] = termOf(t.word)
	}
	return out
}

// weigh counts how many documents hold each term, and says what that makes it
// weigh: the usual inverse document frequency over items and turns together.
func (r *reader) weigh(ctx context.Context, ts []term) (err error) {
	n := float64(r.size.all() + r.q.Elsewhere.searched())
	for i := range ts {
		if ts[i].df, err = r.fulltext.count(ctx, termOf(ts[i].word)); err != nil {
			return err
		}
		ts[i].df[ofElsewhere] = r.q.Elsewhere.holding(ts[i].word)
		df := float64(ts[i].df.docs())
		ts[i].idf = math.Log(1 + (max(n-df, 0)+0.5)/(df+0.5))
	}
	return nil
}

// affordable drops a question's most frequent words, which say least and cost
// most, until what is left touches no more rows of table k than it may; the
// rarest is always kept.
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
		if sum += t.df[k]; i > 0 && sum > tables[k].rows || i == searched {
			return out[:i]
		}
	}
	return out
}

func single(w string) bool {
	r, n := utf8.DecodeRuneInString(w)
	return n == len(w) && r >= 0x1100
}
