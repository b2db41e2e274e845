package relate

import (
	"slices"

	"recall/internal/text"
	"recall/payload"
)

// Left reports whether items of a kind leave something open.
func Left(k payload.Kind) bool { return k == payload.Question || k == payload.Deferred }

// left is what a question asks, or what was put off.
type left struct {
	subject bag     // what it is about
	topic   []entry // its first two words
	options []bag   // for a question "A or B"
	amount  bool    // it asks for a number or a time
}

const (
	minSubjectShare = 0.7 // share of the subject that the later one must mention
	minSubject      = 2   // its minimum weight
	topicWords      = 2
)

// answers: a decision about what was asked, which names one of the options if there are
// any, and says how much if that was asked.
func answers(later, earlier *claim) bool {
	q := earlier.left
	if later.kind != payload.Decision || earlier.kind != payload.Question || later.puts || !q.isSubjectOf(later) {
		return false
	}
	if q.amount && len(without(later.values, earlier.values)) == 0 {
		return false
	}
	return len(q.options) == 0 || slices.ContainsFunc(q.options, func(o bag) bool { return o.in(later.all) > 0.99 })
}

func (l *left) isSubjectOf(later *claim) bool {
	if l == nil || l.subject.weight() < minSubject || l.subject.in(later.all) < minSubjectShare ||
		!namesIn(l.subject, later.all) {
		return false
	}
	return !slices.ContainsFunc(l.topic, func(word entry) bool { return !later.all.has(word) })
}

// leftOf reads what is left open: the first clause that says more than that something is
// open.
func leftOf(kind payload.Kind, toks []token) *left {
	if !Left(kind) {
		return nil
	}
	l := &left{}
	from := 0
	for i, t := range toks { // "Question for Jonas: what happens to …"
		if t.low == ":" && i <= 3 {
			from = i + 1
		}
	}
	l.amount = kind == payload.Question && asksAmount(toks[from:])
	for i := from; i < len(toks); i++ {
		t := toks[i]
		if isMark(t) || untilWords[t.low] {
			if l.subject.weight() >= minSubject {
				break
			}
			if t.low == "." || t.low == ":" {
				continue
			}
		}
		if kind == payload.Question && t.low == "or" {
			l.either(toks, i)
			break
		}
		if putOff[t.low] || asking[t.low] || t.stem == "" {
			continue
		}
		l.subject.put(t)
		if len(l.topic) < topicWords && !slices.Contains(l.topic, number(t.stem)) {
			l.topic = append(l.topic, number(t.stem))
		}
	}
	return l
}

// either makes options of the word before an "or" and what follows it.
func (l *left) either(toks []token, or int) {
	var before, behind bag
	for i := or - 1; i >= 0 && !isMark(toks[i]) && len(before) == 0; i-- {
		before.put(toks[i])
	}
	for i := or + 1; i < len(toks) && !isMark(toks[i]); i++ {
		behind.put(toks[i])
	}
	l.subject = without(l.subject, before)
	l.topic = slices.DeleteFunc(l.topic, before.has)
	for _, o := range []bag{before, without(behind, l.subject)} {
		if len(o) > 0 {
			l.options = append(l.options, o)
		}
	}
}

// asksAmount reports whether a question asks "how long", "how many", "when" and the like.
func asksAmount(toks []token) bool {
	for i, t := range toks {
		asks := t.low == "when" && (i == 0 || isMark(toks[i-1])) ||
			t.low == "how" && i+1 < len(toks) && amounts[toks[i+1].low]
		if asks {
			return true
		}
	}
	return false
}

// putsOff reports whether something is put off or still open.
func putsOff(toks []token) bool {
	for i, t := range toks {
		switch {
		case putOff[t.low] && t.low != "left" && t.low != "leave", t.low == "not" && match(toks, i, "not", "now"),
			match(toks, i, "for", "now"), match(toks, i, "not", "yet"),
			match(toks, i, "next", "round"), match(toks, i, "leave", "out"), match(toks, i, "to", "be", "decided"):
			return true
		}
	}
	return false
}

var (
	putOff = text.Set(`leave left later deferred defer defers postpone postponed postpones parked park waits
		await someday eventually tbd undecided revisit backlog`)
	// asking lists words that ask or put off without saying what.
	asking = text.Set(`wait waiting until open question follow-up followup first long many much often big
		large fast far old high should`)
	untilWords = text.Set(`until because since before after when unless once till`)
	amounts    = text.Set(`long many much often big large small fast far old high deep`)
)
