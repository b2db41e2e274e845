// Package tokens estimates how many tokens a text has. Anthropic publishes no vocabulary, and a budget only needs a
// fast, reproducible count of the right magnitude.
package tokens

import (
	"unicode/utf8"

	"recall/internal/text"
)

// Count returns roughly how many tokens s has in o200k_base, the largest public vocabulary: for pages within 5 % of its
// count, and rather above it.
//
// Text is cut where that vocabulary cuts it: before words and numbers, at a change of case, around punctuation, of
// which a single mark or space before a word belongs to the word. What the pieces cost on average was counted on the
// public transcripts of 17 projects.
func Count(s string) int {
	var c counter
	for i := 0; i < len(s); {
		i = c.take(s, i)
	}
	if c.foreign*200 > c.letters { // its long words have more tokens than those of English
		c.cost += c.long
	}
	return (c.cost + token/2) / token
}

// token is the cost of one token; costs are added in hundredths.
const token = 100

// longWord is the length from which a run of letters is no word of any language.
const longWord = 24

// What each further letter of a word costs, by what it begins with.
const (
	afterSpace = 1
	capital    = 4
	inside     = 10 // of an identifier
	afterMark  = 17
	allCapital = 25
)

type counter struct {
	cost    int
	long    int // what long words cost in addition if the text isn't English
	letters int
	foreign int // letters beyond ASCII
}

// take counts the piece of s at i and returns where the next one begins.
func (c *counter) take(s string, i int) int {
	switch at := s[i]; {
	case text.Letter(at):
		return c.word(s, i, inside)
	case digit(at):
		j := i
		for j < len(s) && digit(s[j]) {
			j++
		}
		c.cost += (j - i + 2) / 3 * token
		return j
	case space(at):
		return c.blank(s, i)
	case mark(s, i) > 0:
		end := i + mark(s, i)
		if end < len(s) && text.Letter(s[end]) {
			return c.word(s, end, afterMark)
		}
		return c.marks(s, i)
	}
	return c.other(s, i)
}

// blank counts whitespace: up to the last newline it is one token, as is all but the last of several spaces; the last
// belongs to the word or the marks that follow.
func (c *counter) blank(s string, i int) int {
	end, line := i, 0
	for ; end < len(s) && space(s[end]); end++ {
		if s[end] == '\n' {
			line = end + 1
		}
	}
	switch {
	case line > 0:
		c.cost += token
		return line
	case end-i > 1:
		c.cost += token
		return end - 1
	case end < len(s) && text.Letter(s[end]):
		return c.word(s, end, afterSpace)
	case end < len(s) && mark(s, end) > 0:
		return c.marks(s, end)
	case end == len(s) || digit(s[end]):
		c.cost += token
	}
	return end
}

// marks counts a run of punctuation, with the newlines that end it.
func (c *counter) marks(s string, i int) int {
	n := 0
	for i < len(s) && mark(s, i) > 0 {
		i += mark(s, i)
		n++
	}
	c.cost += token + (n-1)*15
	for i < len(s) && s[i] == '\n' {
		i++
	}
	return i
}

func (c *counter) word(s string, i, each int) int {
	j, n := i+1, 1
	for ; j < len(s); n++ {
		if accented := s[j] >= 0xc3 && s[j] <= 0xc9; accented {
			c.foreign++
			j += 2
		} else if text.Letter(s[j]) && !(upper(s[j]) && !upper(s[j-1])) {
			j++
		} else {
			break
		}
	}
	j = min(j, len(s))
	switch {
	case n > 1 && upper(s[i+1]):
		each = max(each, allCapital)
	case upper(s[i]):
		each = max(each, capital)
	}
	c.letters += n
	switch {
	case i > 0 && digit(s[i-1]) || j < len(s) && digit(s[j]): // part of an id
		c.cost += (n + 1) * token / 2
	case n > longWord: // base64, or an alphabet
		c.cost += (n + 1) * token * 2 / 3
	default:
		c.cost += token + (n-1)*each
		c.long += (n - 1) / 6 * token
	}
	return j
}

// other counts letters beyond ASCII.
func (c *counter) other(s string, i int) int {
	_, size := utf8.DecodeRuneInString(s[i:])
	j := i + size
	switch size {
	case 2: // Greek, Cyrillic, Hebrew: a run is a word
		for j+1 < len(s) && s[j] >= 0xc3 && s[j] < 0xe0 {
			j += 2
		}
		n := (j - i) / 2
		c.foreign += n
		c.cost += token + (n-1)*25
	case 4:
		c.cost += 3 * token
	default:
		c.cost += 70 // a Chinese character, for example: two of three are a token
	}
	return j
}

// mark returns the length of the punctuation mark at i, 0 if there is none: ASCII's, Latin-1's (·, «) and those from
// U+2000 on (“, —, →).
func mark(s string, i int) int {
	switch at := s[i]; {
	case at < utf8.RuneSelf && !text.Letter(at) && !digit(at) && !space(at):
		return 1
	case at == 0xc2 && i+1 < len(s):
		return 2
	case at == 0xe2 && i+2 < len(s):
		return 3
	}
	return 0
}

func space(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
func upper(c byte) bool { return c >= 'A' && c <= 'Z' }
func digit(c byte) bool { return c >= '0' && c <= '9' }
