package eval

import (
	"strconv"
	"strings"
	"unicode"

	"recall/internal/text"
)

// token is a word of a statement with what is said about it.
type token struct {
	word   string  // as written, in lower case and without punctuation
	key    string  // for comparison: a name as it is, a word's stem, a number's value
	weight float64 // 0 for function words
	number bool
	name   bool
	sign   int    // 1 affirmed, -1 denied
	axis   string // of a word with an opposite
	end    int    // which end of the axis, 1 or -1
	clause int    // numbers the stretches between punctuation
}

const edges = "`*_\"'“”‘’()[]{}<>,;:.!?…—–"

// maxTokens is how many words of a statement are read: longer ones are pasted text, and comparing them word by
// word would take forever.
const maxTokens = 200

// split cuts a text into words at white space and numbers its clauses: brackets hold a clause of their own, and
// the one around it continues after them.
func split(text string) []token {
	var ts []token
	clause, fresh := 0, 0
	var around []int
	next := func() { fresh++; clause = fresh }
	text = strings.NewReplacer("’", "'", "→", " → ", "->", " → ", "—", " — ", "–", " – ",
		" - ", " — ").Replace(text)
	for _, raw := range strings.Fields(text) {
		if len(ts) == maxTokens {
			break
		}
		if raw == "—" || raw == "–" || raw == "|" {
			next()
			continue
		}
		if strings.HasPrefix(strings.TrimLeft(raw, "`*\"“'"), "(") {
			around = append(around, clause)
			next()
		}
		word := strings.Trim(raw, edges)
		if raw == "→" {
			word = raw
		}
		if word != "" {
			t := newToken(word, clause)
			t.name = t.name || t.weight > 0 && strings.ContainsAny(raw, "`\"“")
			ts = append(ts, t)
		}
		end := strings.TrimRight(raw, "`*_\"'“”")
		last := strings.TrimRight(end, ".,;:!?")
		if strings.HasSuffix(last, ")") && strings.Count(raw, ")") > strings.Count(raw[1:], "(") && len(around) > 0 {
			clause, around = around[len(around)-1], around[:len(around)-1]
		}
		switch {
		case end == last, strings.HasSuffix(end, ":") && !negatingHeading(ts, clause): // a heading belongs to what it is over
		case strings.ContainsAny(end[len(last):], ".;!?"):
			next()
			around = nil
		default:
			next()
		}
	}
	return ts
}

// maxHeading is the longest clause before a colon, in words, that stands alone if it negates: "No windows build:
// …".
const maxHeading = 5

// negatingHeading reports whether a clause is short and negates.
func negatingHeading(ts []token, clause int) bool {
	n, no := 0, false
	for i := range ts {
		if ts[i].clause == clause {
			n++
			no = no || denies(ts, i)
		}
	}
	return no && n <= maxHeading
}

func newToken(word string, clause int) token {
	t := token{word: strings.ToLower(word), sign: 1, clause: clause}
	switch {
	case numeric(t.word):
		t.key, t.number, t.name, t.weight = number(t.word), true, true, nameWeight
	case isName(word):
		t.key, t.name, t.weight = t.word, true, nameWeight
	default:
		low := strings.TrimSuffix(t.word, "'s")
		if n, ok := numberWords[low]; ok {
			t.key, t.number, t.weight = n, true, wordWeight
			return t
		}
		t.axis, t.end = opposites()[low].axis, opposites()[low].end
		t.key = text.Stem(low)
		if !functionWords[low] && !text.Stop(low) && len(low) > 1 {
			t.weight = wordWeight
		}
	}
	return t
}

// numeric reports whether a word is a number, perhaps with a unit: "5k", "2-minute".
func numeric(w string) bool {
	return w != "" && (unicode.IsDigit(rune(w[0])) || len(w) > 1 && strings.ContainsRune("#$~<>=+v", rune(w[0])) &&
		unicode.IsDigit(rune(w[1])))
}

// number is a number's value: "5,000", "5_000" and "5k" are the same.
func number(w string) string {
	w = strings.NewReplacer(",", "", "_", "").Replace(strings.TrimLeft(w, "~<>=+v"))
	w, _, _ = strings.Cut(w, "-")
	for end, zeros := range map[string]float64{"k": 1e3, "m": 1e6} {
		if n, ok := strings.CutSuffix(w, end); ok {
			if x, err := strconv.ParseFloat(n, 64); err == nil {
				return strconv.FormatFloat(x*zeros, 'f', -1, 64)
			}
		}
	}
	return w
}

var numberWords = map[string]string{"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
	"eight": "8", "nine": "9", "ten": "10",
	"twelve": "12", "twenty": "20", "thirty": "30", "sixty": "60", "hundred": "100", "thousand": "1000", "twice": "2"}

// functionWords lists words without a meaning of their own here.
var functionWords = text.Set(`not no never without neither nor cannot unlike nothing none instead rather longer avoid
	avoids avoided avoiding before after from to into than over → then`)
