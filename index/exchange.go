package index

import (
	"slices"
	"strconv"
	"strings"

	"recall/internal/text"
)

// How an exchange is cut, in content words: windows of about 180 words with stop words, each of which begins before
// the last one ends, so that what is said in few sentences stands in one of them whole. 90 or 250 do the same.
const (
	windowWords  = 100
	windowStep   = 80
	wordsBefore  = 30
	bytesBefore  = 500  // among which they are
	turnSearched = 4000 // of a turn; what follows is data
)

// exchange is the place of an exchange among a session's turns.
type exchange struct {
	n        int // ordinal
	from, to int // indices of its turns, half-open
}

// exchangesOf divides turns into exchanges, by their numbers or, where they have none, at everything that is asked.
func exchangesOf(turns []Turn) (all []exchange) {
	for i, t := range turns {
		n := t.Exchange
		if n == 0 {
			n = max(len(all), 1)
			if t.Role != "assistant" && t.Role != Both && len(all) > 0 {
				n++
			}
		}
		if len(all) == 0 || all[len(all)-1].n != n {
			all = append(all, exchange{n, i, i})
		}
		all[len(all)-1].to = i + 1
	}
	return all
}

// hashExchanges makes a row for each exchange.
func hashExchanges(turns []Turn) []row {
	var out []row
	for _, e := range exchangesOf(turns) {
		parts := []string{strconv.Itoa(e.n), before(turns, e)}
		for _, t := range turns[e.from:e.to] {
			parts = append(parts, strconv.Itoa(t.N), strconv.FormatInt(millis(t.At), 10), t.Text, t.More)
		}
		out = append(out, row{of: e, hash: hashOf(parts...)})
	}
	return out
}

// before returns the end of what was said before an exchange, in whole words.
func before(turns []Turn, e exchange) string {
	if e.from == 0 {
		return ""
	}
	said := turns[e.from-1].Text
	if len(said) <= bytesBefore {
		return said
	}
	_, said, _ = strings.Cut(said[len(said)-bytesBefore:], " ")
	return said
}

// window is a stretch of an exchange as it is searched.
type window struct {
	from, to int    // indices of its turns, both in it
	words    string // stems
}

// windows cuts an exchange, and has its first window begin with the end of what was said before, which it may reply to.
func (s *stemmer) windows(turns []Turn, e exchange) (out []window) {
	stems := s.cut(nil, turnSearched, before(turns, e))
	stems = stems[max(0, len(stems)-wordsBefore):]
	of := slices.Repeat([]int{e.from}, len(stems))
	for i := e.from; i < e.to; i++ {
		already := len(stems)
		stems = s.cut(stems, turnSearched, turns[i].Text)
		stems = s.cut(stems, turnSearched-(len(stems)-already), turns[i].More)
		for range stems[already:] {
			of = append(of, i)
		}
	}
	for from := 0; from < len(stems); from += windowStep {
		to := from + windowWords
		if to+windowWords-windowStep >= len(stems) { // a rest too short for one of its own
			to = len(stems)
		}
		out = append(out, window{of[from], of[to-1], strings.Join(stems[from:to], " ")})
		if to == len(stems) {
			break
		}
	}
	return out
}

// stemmer stems each word of a session's texts once.
type stemmer struct{ known map[string]string }

// cut appends a text's stems in order, without stop words, at most limit.
func (s *stemmer) cut(to []string, limit int, said string) []string {
	if limit <= 0 {
		return to
	}
	text.Each(said, func(w string) bool {
		if text.Stop(w) {
			return true
		}
		stem, ok := s.known[w]
		if !ok {
			stem = text.Stem(w)
			s.known[w] = stem
		}
		to = append(to, stem)
		limit--
		return limit > 0
	})
	return to
}

// item returns the stems by which an item is found: its own words and its aliases.
func (s *stemmer) item(it Item) (stems []string) {
	for _, t := range slices.Concat([]string{it.Text, it.Why, it.Scope, it.Path}, it.Alternatives, it.About, it.Aliases) {
		stems = s.cut(stems, turnSearched, t)
	}
	return stems
}
