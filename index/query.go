package index

import (
	"cmp"
	"context"
	"database/sql"
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
	df   int // windows and items that contain it
	idf  float64
}

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

// termOf returns the form in which a word is looked up.
func termOf(w string) string {
	if isSingleCJK(w) {
		return w + "*" // a single Chinese character is the start of many pairs
	}
	return text.Stem(w)
}

func lookupForms(ts []term) []string {
	out := make([]string, len(ts))
	for i, t := range ts {
		out[i] = termOf(t.word)
	}
	return out
}

// weigh counts what contains each term, and computes the usual inverse document frequency.
func (r *reader) weigh(ctx context.Context, ts []term) error {
	if len(ts) == 0 {
		return nil
	}
	held, err := r.count(ctx, lookupForms(ts))
	n := float64(r.size)
	for i := range ts {
		t := &ts[i]
		t.df = held[termOf(t.word)]
		t.idf = math.Log(1 + (max(n-float64(t.df), 0)+0.5)/(float64(t.df)+0.5))
	}
	return err
}

// rarity is a term's frequency from 0 to 1, the rarest, among so many windows and items: of few, as if there were more
// without it.
func (t *term) rarity(n float64) float64 {
	n = max(n, manyRows)
	return math.Log(1+(max(n-float64(t.df), 0)+0.5)/(float64(t.df)+0.5)) / math.Log(2*n+2)
}

const manyRows = 2000

const (
	countWords  = `SELECT term, doc FROM vocabulary WHERE term IN (SELECT value FROM json_each(?))`
	countBegins = `SELECT ifnull(sum(doc), 0) FROM vocabulary WHERE term>=? AND term<?`
	lastLetter  = "\U0010FFFF"
)

// count returns how many windows and items contain each stem; one with a trailing "*" is a prefix.
func (r *reader) count(ctx context.Context, stems []string) (map[string]int, error) {
	held := map[string]int{}
	err := scan(ctx, r.tx, func(rows *sql.Rows) error {
		var stem string
		var n int
		err := rows.Scan(&stem, &n)
		held[stem] = n
		return err
	}, countWords, jsonList(stems))
	for _, s := range stems {
		if w, ok := strings.CutSuffix(s, "*"); ok && err == nil {
			var n int
			err = r.tx.QueryRowContext(ctx, countBegins, w, w+lastLetter).Scan(&n)
			held[s] = n
		}
	}
	return held, err
}

// affordable drops the most frequent words, which say least and cost most, until the rest touches no more rows than
// allowed; it always keeps the rarest.
func affordable(held map[string]int, most int) []string {
	var out []string
	for s, n := range held {
		if n > 0 {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(held[a]-held[b], strings.Compare(a, b)) })
	sum := 0
	for i, s := range out {
		if sum += held[s]; i > 0 && sum > most || i == maxSearched {
			return out[:i]
		}
	}
	return out
}

func owned(ts []term) map[string]int {
	held := map[string]int{}
	for _, t := range ts {
		held[termOf(t.word)] = t.df
	}
	return held
}

func isSingleCJK(w string) bool {
	r, n := utf8.DecodeRuneInString(w)
	return n == len(w) && r >= 0x1100
}
