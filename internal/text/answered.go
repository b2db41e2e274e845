package text

import (
	"slices"
	"strings"
)

// Answered is a question with what a person replied, as what they say later is compared with it.
type Answered struct {
	words  Bag   // of the question
	took   Bag   // what was replied: its number, what sets the option apart, else all its words; none for yes or no
	unit   Bag   // of the number, nil if it isn't one
	others []Bag // of each option that wasn't taken, the words that set it apart
	yesNo  bool
	shown  bool // the options were a program's, with labels
}

// The longest reply that answers a question and nothing else, in words, and the longest order, in bytes, that gives it
// another answer: what is longer was pasted, or is a plan.
const (
	longestReply = 12
	longestOrder = 200
	longestYes   = 25 // a yes or no, in bytes
)

// Answer reads the last question of what an assistant said, or the sentence of it that offers options of which a reply
// took one; nil if there is neither, or the reply is long or asks back.
func Answer(said, reply string) *Answered {
	a := &Answered{took: Words(reply).Without(agrees)}
	a.yesNo = len(reply) <= longestYes && (Agrees(reply) || Refuses(reply))
	if len(a.took) > longestReply || strings.HasSuffix(strings.TrimSpace(reply), "?") {
		return nil
	}
	first, second, tookFirst := options(said, Takes(reply))
	asked := ""
	for _, s := range Sentences(said, true) {
		offers := first != "" && strings.Contains(s, strings.TrimSpace(first))
		if offers || first == "" && strings.HasSuffix(s, "?") {
			asked = s
		}
	}
	if a.words = Words(asked).Without(ofOffers); len(a.words) == 0 {
		return nil
	}
	other := ""
	switch one, two := Words(first), Words(second); {
	case first == "":
	case tookFirst:
		a.took, other = a.took.Without(a.took.Without(one)).Without(two), mark(Split(second), one)
	default:
		back := Split(first)
		slices.Reverse(back)
		a.took, other = a.took.Without(a.took.Without(two)).Without(one), mark(back, two)
	}
	if other != "" {
		a.others = []Bag{{other: 1}}
	}
	if n := a.took.numbers(); len(n) > 0 {
		a.took, a.unit = n, a.took.Without(n)
	} else if a.yesNo && first == "" {
		a.took = nil
	}
	return a
}

// Chosen is a question whose options a program showed, with the one that was taken.
func Chosen(question, taken string, others []string) *Answered {
	a := &Answered{words: Words(question).Without(ofOffers), took: label(taken), shown: true}
	all := Bag{}
	for _, option := range others {
		all.Add(label(option))
		if w := label(option).Without(a.took); len(w.Without(ofLabels)) > 0 {
			a.others = append(a.others, w)
		}
	}
	a.took = a.took.Without(all)
	return a
}

// label returns the words of an option without what explains it: "Postgres (Recommended)".
func label(option string) Bag {
	if end := strings.IndexAny(option, "(,:;—"); end > 0 {
		option = option[:end]
	}
	return Words(option)
}

// mark returns the word that sets an option apart from the other: of its words from the "or" on up to one that says
// nothing, a number, else the first that the other hasn't.
func mark(option []string, other Bag) (mark string) {
	begun := false
	for _, w := range option {
		stem := Stem(w)
		switch {
		case !Stop(w):
			begun = true
			if !other.Has(stem) && (mark == "" || isNumber(stem)) {
				mark = stem
			}
		case begun:
			return mark
		}
	}
	return mark
}

func isNumber(w string) bool { return w[0]-'0' < 10 }

// numbers returns the numbers among some words.
func (b Bag) numbers() Bag {
	out := Bag{}
	for w := range b {
		if isNumber(w) {
			out[w] = 1
		}
	}
	return out
}

// Words around what a reply says, and of questions about anything: "Want me to make that change?"
var (
	agrees   = Words("yes no ok please")
	ofOffers = Words("want like need shall make change implement proceed go")

	// ofLabels name no option by themselves.
	ofLabels = Words("option keep skip add remove leave yes no none both all other later now never default custom")

	// ofChoices are around an option that is taken: "actually let's use the other one instead".
	ofChoices = Words("use take pick choose prefer switch move go try let actually instead rather then now " +
		"existing one")
)

// Reopened returns what was said later that answers a question anew, from the sentence on that does, and whether it
// says again what was replied; "" if none does.
func (a *Answered) Reopened(later string) (said string, again bool) {
	for _, s := range Sentences(later, true) {
		if len(s) > longestOrder || strings.HasSuffix(s, "?") {
			continue
		}
		if reopens, again := a.reopens(s); reopens || again {
			return later[strings.Index(later, s):], again
		}
	}
	return "", false
}

// strange is how many words of a clause may be neither of a question nor of its answer, if it says that something is
// different now twice as many.
const strange = 1

// reopens reports whether a sentence gives up what was replied, or names the other option, with the one taken or with
// few strange words; or is about most of what was asked and gives another number, or says that it changes. If it
// changes to what was replied, it says that again.
func (a *Answered) reopens(s string) (reopens, again bool) {
	said := Words(s)
	taken, shared := said.Shared(a.took) > 0, said.Shared(a.words)
	other := slices.IndexFunc(a.others, func(option Bag) bool { return option.In(said) == 1 })
	if !taken && shared == 0 && !(a.shown && other >= 0) { // most sentences
		return false, false
	}
	givesUp := slices.ContainsFunc(GivesUp(s), func(g GivenUp) bool {
		return Words(s[g.From:g.To]).Shared(a.took) > 0
	})
	changed := SaysChanged(s)
	turns := changed || isNow().MatchString(s)
	about := shared > 1 && 2*shared >= len(a.words)
	switch {
	case givesUp && (len(a.others) > 0 || shared > 0):
		return true, false
	case other >= 0:
		n := a.strangeIn(s, a.others[other])
		chooses := !a.shown || shared > 0 || said.Shared(ofChoices) > 0
		if a.shown && (taken || notNow().MatchString(s)) { // it tells of both, or supposes
			return false, false
		}
		return taken || n == 0 || chooses && n <= strange || turns && n <= 2*strange, false
	case !about:
		return false, false
	case taken:
		return false, changed || a.strangeIn(s, a.took) <= strange
	case a.unit != nil && len(said.numbers()) > 0 && said.Shared(a.unit) == len(a.unit):
		return true, false
	}
	return changed || a.yesNo && (turns || Denies(s)), false
}

// strangeIn counts the words that neither the question nor the reply has, of the clause that names an option.
func (a *Answered) strangeIn(s string, option Bag) int {
	least := len(s)
	for clause := range clauses(s) {
		if said := Words(clause); said.Shared(option) > 0 {
			least = min(least, len(said.Without(a.words).Without(a.took).Without(ofChoices).Without(option)))
		}
	}
	return least
}

// notNow matches what isn't so, or isn't yet.
var notNow = Pattern(`(?i)\b(?:later|may|maybe|might|could|would|someday|not now|später|vielleicht|plus tard)\b`)

var isNow = Pattern(`(?i)\b(?:actually|now|it is)\b`)

// Agrees reports whether a reply begins with yes, in whatever words.
func Agrees(reply string) bool { return agreeing().MatchString(reply) }

// Refuses reports whether a reply begins with no, or disagrees with what was said before it.
func Refuses(reply string) bool { return refusing().MatchString(reply) }

var (
	agreeing = Pattern(`(?i)^\W*(?:hm+,? )?(?:yes|yep|yeah|yup|sure|` +
		`ok|okay|oki|good|great|fine|perfect|right|exactly|correct|` +
		`definitely|of course|do (?:it|that)|go ahead|sounds|please do|agreed|makes sense|ja|genau|gern|oui|sim|` +
		`(?:(?:it|this|that|(?:the|this|your) (?:\w+ )?plan) )?(?:is|looks|sounds) (?:(?:really|very|all|so) )?` +
		`(?:excellent|great|good|perfect|fine|right)|` +
		`stimmt|klar|passt|sehe? ich (?:auch|genauso)|so do i|same here|claro|vale|d['’]accord)\b|` +
		`^(?:sí|好的?|可以|行|是的|对|嗯|没问题|はい|うん|了解です|了解|お願いします|네|예|좋아요?)(?:[\s，。、！,.!]|$)`)
	refusing = Pattern(`(?i)^\W*(?:(?:hm+|actually|ah|ach|oh|or|oder),? )?(?:no\b|nope|nah\b|nein\b|non\b|` +
		`not? (?:that|this|quite|yet|now)|never\b|stop\b|wait\b|don['’]?t\b|do not\b|instead\b|undo\b|revert\b|` +
		`wrong\b|that['’]?s (?:not|wrong)|i (?:don['’]?t|disagree|meant)|` +
		`不[用要行是对]|不需要|别[^的人]|等等|いいえ|いや、|やめて|違います|não |아니[요오,. ])`)
)
