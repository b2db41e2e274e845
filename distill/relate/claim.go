package relate

import (
	"strings"
	"unicode/utf8"

	"recall/internal/text"
	"recall/payload"
)

// claim is what an item decides.
type claim struct {
	all     text.Bag          // of the text
	held    text.Bag          // what it stands for: the text without what it gives up
	subject text.Bag          // of its first "is" or "are"
	before  map[string]string // by word, the one directly before it
	gives   []given
	passed  text.Bag       // words of the options that weren't taken
	denies  bool           // "never", "not": an odd number of them
	asked   text.Bag       // the question that it answers, nil if there is none
	answer  *text.Answered // the same with what was chosen, nil if it isn't a choice
	stated  text.Bag       // of a person's own words, what they don't ask
}

// given is what a claim gives up.
type given struct {
	text.Bag
	within bool // somewhere or for something only: "remove duckdb from the readme", "forget it for a moment"
}

var (
	copulas  = text.Set(`is are was were gets get becomes be`)
	denyForm = text.Pattern(`\b(?:not|never|no|don't|doesn't|can't|cannot|nobody|without|none)\b`)

	// onlyThere matches what follows a name that is given up somewhere or for something only.
	onlyThere = text.Pattern(`(?i)^\s+(?:for|from|in|on|at|during|within|under|between|into|to|with)\b`)
)

// claimOf makes out what an item decides. Its first quote, too, is read for what it gives up, since people say so
// there.
func claimOf(it *payload.Item) *claim {
	toks, quote := tokens(it.Text), tokens(it.First().Quote)
	c := &claim{all: bagOf(toks), held: text.Bag{}}
	c.subject, c.before = subjectOf(toks), beforeEach(toks)
	var words []string
	for _, t := range toks {
		words = append(words, t.low)
	}
	c.denies = len(denyForm().FindAllString(strings.Join(words, " "), -1))%2 == 1
	lost := c.readLost(it.Text, toks)
	for i, t := range toks {
		if !lost[i] {
			put(c.held, t)
		}
	}
	c.readLost(it.First().Quote, quote)
	return c
}

// readLost records what a sentence gives up, and returns the tokens that name it.
func (c *claim) readLost(said string, toks []token) map[int]bool {
	lost := map[int]bool{}
	for _, g := range text.GivesUp(said) {
		from, to := utf8.RuneCountInString(said[:g.From]), utf8.RuneCountInString(said[:g.To])
		b := text.Bag{}
		for i, t := range toks {
			if t.at >= from && t.at < to && g.Form != "forbids" {
				lost[i] = true
				put(b, t)
			}
		}
		if len(b) > 0 {
			c.gives = append(c.gives, given{b, onlyThere().MatchString(said[g.To:])})
		}
	}
	return lost
}

// subjectOf returns what precedes the first "is" or "are".
func subjectOf(toks []token) text.Bag {
	from := 0
	for i, t := range toks {
		if copulas[t.low] {
			return bagOf(toks[from:i])
		}
		if isMark(t) {
			from = i + 1
		}
	}
	return nil
}

// beforeEach returns for each word that follows another one directly, which that is: users → table. Of a repeated
// word the last occurrence counts.
func beforeEach(toks []token) map[string]string {
	m := map[string]string{}
	for i := 1; i < len(toks); i++ {
		if toks[i].stem != "" && toks[i-1].stem != "" && !toks[i-1].value {
			m[toks[i].stem] = toks[i-1].stem
		}
	}
	return m
}

// apart reports whether two claims are about different things of the same sort: the users
// table and the events table, alerts that are evaluated and rules that are.
func (c *claim) apart(d *claim) bool {
	if len(c.subject) > 0 && len(d.subject) > 0 && c.subject.Shared(d.all) == 0 && d.subject.Shared(c.all) == 0 {
		return true
	}
	for word, before := range c.before {
		if other, ok := d.before[word]; ok && !d.all.Has(before) && !c.all.Has(other) {
			return true
		}
	}
	return false
}
