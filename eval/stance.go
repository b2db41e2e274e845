package eval

import (
	"strings"

	"recall/internal/text"
	"recall/payload"
)

// stance is what a statement affirms and denies of its words.
type stance struct {
	tokens  []token
	told    bool // it states whether something holds; a goal doesn't, and a rejected option need not
	clauses []clause
	said    map[string][]int // places of each key
}

// newStance parses a statement and finds what it negates.
func newStance(kind payload.Kind, text string) stance {
	s := stance{tokens: split(text), said: map[string][]int{}}
	verdict := negate(s.tokens)
	s.told = verdict && kind == payload.Eliminated || affirms(kind)
	s.clauses = clausesOf(s.tokens)
	for i, t := range s.tokens {
		if t.weight > 0 {
			s.said[t.key] = append(s.said[t.key], i)
		}
	}
	return s
}

// affirms reports whether items of a kind state that something holds, unlike goals, questions, deferred or
// rejected options.
func affirms(kind payload.Kind) bool {
	switch kind {
	case payload.Goal, payload.Question, payload.Deferred, payload.Eliminated:
		return false
	}
	return true
}

// clause is a stretch of a statement that says one thing or denies it.
type clause struct {
	words map[string]float64
	total float64
	no    bool
	soft  int
	heads []string // what its negations may apply to
}

// clauseOpeners start a new clause.
var clauseOpeners = text.Set("but because so if when while unless which where whether although though since")

func clausesOf(ts []token) []clause {
	var out []clause
	at := -1
	for i, t := range ts {
		inverts := denies(ts, i) && (t.word == "instead" || t.word == "rather" || t.word == "in" || i > 0 &&
			(ts[i-1].word == "and" || ts[i-1].word == "or"))
		if i == 0 || t.clause != at || clauseOpeners[t.word] || inverts {
			out = append(out, clause{words: map[string]float64{}})
		}
		at = t.clause
		c := &out[len(out)-1]
		if denies(ts, i) {
			c.no = !c.no
			c.heads = append(c.heads, contentAbout(ts, i, headWords, 1)...)
		} else if isSoft(t.word) {
			c.soft++
		}
		if _, twice := c.words[t.key]; t.weight > 0 && !twice {
			c.words[t.key] = t.weight
			c.total += t.weight
		}
	}
	return out
}

// headWords is how many content words after a "no" it may negate.
const headWords = 3

// contentAbout returns the next content words of a clause and, if there are fewer than enough, also those before.
func contentAbout(ts []token, at, most, enough int) []string {
	var out []string
	for k := at + 1; k < len(ts) && len(out) < most && ts[k].clause == ts[at].clause; k++ {
		if ts[k].weight > 0 {
			out = append(out, ts[k].key)
		}
	}
	for k := at - 1; k >= 0 && len(out) < enough && ts[k].clause == ts[at].clause; k-- {
		if ts[k].weight > 0 {
			out = append(out, ts[k].key)
		}
	}
	return out
}

// negators negate what follows in their clause.
var negators = text.Set("never without neither nor cannot unlike nothing none avoid avoids avoided avoiding")

// soft lists words that may be a negation in other words: they leave open what a "no" missing from the other
// statement means.
var soft = text.Set(`dropped drop drops rejected rejects reject refused refuses declined abandoned withdrawn
	discarded cancelled canceled skip skips skipped skipping omit omits omitted remove removes removed removing
	delete deletes deleted missing lack lacks suppress suppresses suppressed ignore ignores ignored unchanged
	stop stops stopped prevent prevents exclude excludes excluded disabled disables disable forbidden blocked
	incompatible less left ruled gone wrong false invalid dismissed thrown`)

func isSoft(w string) bool {
	return soft[w] || strings.HasPrefix(w, "un") && len(w) > 6 && w != "unless" && w != "under"
}

// scope is how many content words a "no" negates.
const scope = 2

// negate sets the signs of words. It reports whether the statement itself says that something is ruled out.
func negate(ts []token) (verdict bool) {
	no, clause, left := false, -1, 0
	for i := range ts {
		t := &ts[i]
		if t.clause != clause || clauseOpeners[t.word] {
			no, clause = false, t.clause
		}
		if no && left > 0 && t.weight > 0 {
			t.sign = -t.sign
			left--
		}
		switch {
		case denies(ts, i):
			no, left = !no, scope
		case t.word == "ruled", t.end < 0 && t.axis == "keep":
			verdict = true
		}
	}
	return verdict
}

// denies reports whether a word negates those after it.
func denies(ts []token, i int) bool {
	after := ""
	if i+1 < len(ts) {
		after = ts[i+1].word
	}
	switch w := ts[i].word; w {
	case "not":
		return after != "only" && after != "just"
	case "no":
		return after != "matter" && (i+1 == len(ts) || !denies(ts, i+1)) // "no don't" says it once
	case "instead":
		return after == "of"
	case "rather":
		return after == "than"
	case "in":
		return after == "place" && i+2 < len(ts) && ts[i+2].word == "of"
	default:
		return negators[w] || strings.HasSuffix(w, "n't")
	}
}
