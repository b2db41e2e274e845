package answer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"recall/index"
	"recall/payload"
	"recall/sink"
	"recall/text"
)

// Lost are the options that lost and that neither the item's text nor its history names.
func Lost(it payload.Item, history []index.Linked) []string {
	return slices.DeleteFunc(slices.Clone(it.Alternatives), func(option string) bool {
		past := func(l index.Linked) bool { return SameWords(l.Item.Text, option) }
		return strings.Contains(strings.ToLower(it.Text), strings.ToLower(option)) || slices.ContainsFunc(history, past)
	})
}

// State reports whether an item holds and since when.
func State(it payload.Item) string {
	d := Day(it.At)
	switch it.State {
	case payload.Superseded, payload.Revoked, payload.Done, payload.Retired:
		return string(it.State) + ", from " + d
	}
	word := holds[it.Kind]
	switch {
	case it.Kind == payload.Decision && it.Rule == "answer" && it.Maker == payload.ByRule:
		word = "chosen " // on record; whether anybody thought better of it is not
	case it.Kind == payload.File && it.Status != "":
		word = it.Status + ", "
	case it.Summed():
		word = "summed up "
	}
	return word + d
}

// holds is how a kind of item that holds is said to.
var holds = map[payload.Kind]string{
	payload.Decision: "stands since ", payload.Eliminated: "ruled out ", payload.Finding: "found ",
	payload.Deferred: "deferred ", payload.Question: "open since ", payload.Next: "as of ", payload.Flag: "noted ",
	payload.Lead: "said ",
}

// Standing is an item's state, and that it may be older than it looks.
func (r *Result) Standing() string {
	var by payload.Doubt
	if link := r.Doubted(); link != nil {
		by = link.Doubt()
	}
	return Standing(*r.Item, by)
}

// Standing is an item's state, or what became of it by a doubt that isn't the zero one.
func Standing(it payload.Item, by payload.Doubt) string {
	if by.By == "" {
		return State(it)
	}
	return "from " + Day(it.At) + ", " + by.Word(it.Kind) + " on " + Day(by.At)
}

// Record is how a line says that it is a record of earlier: decided 2026-04-15 in
// session 2; "" of a kind that is told as it is. Days are as payloads have them, in UTC;
// number 0 is no session's.
func Record(it payload.Item, number int) string {
	word := recorded[it.Kind]
	switch {
	case it.Kind == payload.File:
		word = "off limits"
	case it.Kind == payload.Lead:
		word = Voice{Agent: true}.speaker(it) + " said"
	}
	if word != "" && !it.At.IsZero() {
		word += " " + it.At.UTC().Format(time.DateOnly)
	}
	if word != "" && number > 0 {
		word += fmt.Sprintf(" in session %d", number)
	}
	return word
}

var recorded = map[payload.Kind]string{
	payload.Goal: "aimed at", payload.Decision: "decided", payload.Eliminated: "ruled out", payload.Finding: "found",
	payload.Flag: "warned", payload.Hypothesis: "suspected", payload.Deferred: "put off", payload.Question: "asked",
}

var reasoned = []payload.Kind{payload.Decision, payload.Eliminated, payload.Finding, payload.Deferred, payload.Flag}

// The ways in which a sentence ends with its reason. "since" is a time as often,
// and what stands behind a dash a detail: both need a clause of their own there.
var (
	becauseForm = text.Pattern(`(?i)^(.+?),? because (.+)$`)
	sinceForm   = text.Pattern(
		`(?i)^(.+?),? since ((?:it|its|they|we|that|this|there|the|no|nobody|nothing|our|a|an)\b.+)$`)
	dashForm = text.Pattern(`(?i)^(.+) [—–] ((?:it|it's|its|they|they're|` +
		`that|that's|this|there|there's|we|otherwise|too|nobody|nothing)\b.+)$`)
	clauseForm = text.Pattern(
		`(?i)\b(?:is|are|was|were|has|have|had|does|do|did|can|can't|cannot|will|won't|would|don't|` +
			`doesn't|didn't|isn't|aren't|it's|that's|they're|there's|` +
			`needs?|takes?|costs?|breaks?|fails?|forbids?|means?|makes?|keeps?|locks?)\b`)
)

// Of a sentence that is cut into two, each must have so many words.
const leastWords = 3

// WithReason is an item to be shown, whose reason, where it has none of its own,
// is taken out of the end of its text.
func WithReason(it payload.Item) payload.Item {
	if it.Why != "" || !slices.Contains(reasoned, it.Kind) {
		return it
	}
	said := sink.Line(it.Text, sink.Terminal)
	for i, form := range []func() *regexp.Regexp{becauseForm, sinceForm, dashForm} {
		m := form().FindStringSubmatch(said)
		if m == nil || !parts(m[1], m[2]) || i > 0 && !clauseForm().MatchString(m[2]) {
			continue
		}
		it.Text, it.Why = strings.TrimRight(m[1], ",;: ")+".", strings.TrimRight(m[2], ". ")
		return it
	}
	return it
}

// parts reports whether a sentence may be cut into these two.
func parts(said, why string) bool {
	long := min(len(strings.Fields(said)), len(strings.Fields(why))) >= leastWords
	return long && whole(said) && whole(why) && !strings.Contains(why, ". ")
}

// whole reports whether nothing in a text is opened and not closed: what stands in
// parentheses, quotes or code isn't cut.
func whole(s string) bool {
	for _, pair := range [][2]string{{"(", ")"}, {"“", "”"}} {
		if strings.Count(s, pair[0]) != strings.Count(s, pair[1]) {
			return false
		}
	}
	return strings.Count(s, `"`)%2 == 0 && strings.Count(s, "`")%2 == 0
}
