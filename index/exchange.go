package index

import (
	"slices"
	"strings"

	"recall/index/rank"
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
	windowBytes  = 4000 // of a window as it was said: more than an embedding model reads
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
			if (t.Role == "user" || t.Role == "program") && len(all) > 0 {
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
	said     string // the same as it was said
}

// cutWindows cuts an exchange, and has its first window begin with the end of what was said before, which it may reply
// to.
func (s *stemmer) cutWindows(turns []Turn, e exchange) (out []window) {
	c := cutting{stemmer: s}
	c.add(e.from, turnSearched, before(turns, e))
	c.stems = c.stems[max(0, len(c.stems)-wordsBefore):]
	replies := len(c.stems)
	for i := e.from; i < e.to; i++ {
		already := len(c.stems)
		c.add(i, turnSearched, turns[i].Text)
		c.add(i, turnSearched-(len(c.stems)-already), turns[i].More)
	}
	if len(c.stems) == replies {
		return nil
	}
	for from := 0; from < len(c.stems); from += windowStep {
		to := from + windowWords
		if to+windowWords-windowStep >= len(c.stems) { // a rest too short for one of its own
			to = len(c.stems)
		}
		out = append(out, c.window(from, to))
		if to == len(c.stems) {
			break
		}
	}
	return out
}

// cutting is texts of turns with the stems in them, in order.
type cutting struct {
	*stemmer
	texts []string
	stems []stemAt
}

// stemAt is a stem, the turn that it is from, and the place of its word.
type stemAt struct {
	stem           string
	turn, text, at int
}

// add appends a text of a turn with its first stems, at most limit.
func (c *cutting) add(turn, limit int, said string) {
	c.texts = append(c.texts, said)
	var stems []string
	for at := 0; at < len(said) && limit > 0; {
		if blank(said[at]) {
			at++
			continue
		}
		end := at
		for end < len(said) && !blank(said[end]) {
			end++
		}
		stems = c.cut(stems[:0], limit, said[at:end])
		for _, stem := range stems {
			c.stems = append(c.stems, stemAt{stem, turn, len(c.texts) - 1, at})
		}
		limit -= len(stems)
		at = end
	}
}

func blank(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }

// window returns the window of some of the stems.
func (c *cutting) window(from, to int) window {
	w := window{from: c.stems[from].turn, to: c.stems[to-1].turn}
	var words, said strings.Builder
	first := c.stems[from]
	for i, s := range c.stems[from:to] {
		if i > 0 {
			words.WriteByte(' ')
		}
		words.WriteString(s.stem)
		if s.text != first.text {
			said.WriteString(c.texts[first.text][first.at:] + "\n")
			first = s
			first.at = 0
		}
	}
	rest := c.texts[first.text][first.at:]
	if to < len(c.stems) && c.stems[to].text == first.text {
		rest = rest[:max(c.stems[to].at-first.at, 0)]
	}
	said.WriteString(rest)
	w.words, w.said = words.String(), text.HeadMarked(strings.TrimSpace(said.String()), windowBytes)
	return w
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

// typed returns what a person said in an exchange, as far as it is shown, and what it replies to.
func (o *ranked) typed() (said Turn, before string) {
	for _, t := range []Turn{o.turn, o.beside.turn} {
		switch t.Role {
		case Both:
			before, t.Text, _ = strings.Cut(t.Text, " → ")
			return t, before
		case "user":
			said = t
		}
	}
	for _, t := range []Turn{o.turn, o.beside.turn} {
		if t.Role == assistant && t.N < said.N {
			before = t.Text[max(0, len(t.Text)-endOfTurn):]
		}
	}
	return said, before
}

// decides reports whether a person says something in an exchange, as far as it is shown, that asks nothing: in reply to
// the assistant, or of what is asked about.
func (o *ranked) decides(asked *rank.Question) bool {
	return slices.ContainsFunc([]quoted{o.quoted, o.beside}, func(q quoted) bool {
		t := &q.turn
		return t.N > 1 && !strings.HasSuffix(strings.TrimSpace(t.Text), "?") &&
			(t.Role == Both || t.Role == "user" && (text.TakesSide(t.Text) || shareIn(asked, t.Text) > 0))
	})
}

// takesBack reports whether a person says in an exchange, as far as it is shown, that something changes.
func (o *ranked) takesBack() bool {
	return slices.ContainsFunc([]quoted{o.quoted, o.beside}, func(q quoted) bool {
		return q.turn.Role != assistant && text.SaysChanged(text.HeadMarked(q.passage, longestSaid))
	})
}
