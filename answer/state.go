package answer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"recall/index"
	"recall/internal/escape"
	"recall/internal/text"
	"recall/payload"
)

// RejectedOptions lists the rejected options that neither the item's text nor its history names.
func RejectedOptions(it payload.Item, history []index.Linked) []string {
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
		word = "chosen " // on record; whether it was reconsidered isn't
	case it.Kind == payload.File && it.Status != "":
		word = it.Status + ", "
	case it.Summed():
		word = "summed up "
	}
	return word + d
}

// holds is how the state of an item that holds is worded, by kind.
var holds = map[payload.Kind]string{
	payload.Decision: "stands since ", payload.Eliminated: "ruled out ", payload.Finding: "found ",
	payload.Deferred: "deferred ", payload.Question: "open since ", payload.Next: "as of ", payload.Flag: "noted ",
	payload.Lead: "said ",
}

// Standing is an item's state, noting if it may be outdated.
func (r *Result) Standing() string {
	var by payload.Doubt
	if link := r.Doubted(); link != nil {
		by = link.Doubt()
	}
	return Standing(*r.Item, by)
}

// Standing is an item's state or, if by isn't zero, what became of it.
func Standing(it payload.Item, by payload.Doubt) string {
	if by.By == "" {
		return State(it)
	}
	return "from " + Day(it.At) + ", " + by.Word(it.Kind) + " on " + Day(by.At)
}

// Record says, for a line, when and where an item was recorded: decided 2026-04-15 in session 2; "" for kinds
// without such a note. Days are in UTC, as in payloads; a session without a number isn't named.
func Record(it payload.Item, from payload.Origin) string {
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
	if word != "" && from.Number > 0 {
		word += fmt.Sprintf(" in session %d%s", from.Number, from.On())
	}
	return word
}

var recorded = map[payload.Kind]string{
	payload.Goal: "aimed at", payload.Decision: "decided", payload.Eliminated: "ruled out", payload.Finding: "found",
	payload.Flag: "warned", payload.Hypothesis: "suspected", payload.Deferred: "put off", payload.Question: "asked",
}

var reasoned = []payload.Kind{payload.Decision, payload.Eliminated, payload.Finding, payload.Deferred, payload.Flag}

// The ways in which a sentence ends with its reason. "since" often introduces a time and a dash
// a detail: after those a clause is required.
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

// minWords is how many words each half of a split sentence must have.
const minWords = 3

// WithReason returns an item for display; if it has no reason, one at the end of its text becomes its reason.
func WithReason(it payload.Item) payload.Item {
	if it.Why != "" || !slices.Contains(reasoned, it.Kind) {
		return it
	}
	said := escape.Line(it.Text, escape.Terminal)
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

// parts reports whether a sentence can be split into these two.
func parts(said, why string) bool {
	long := min(len(strings.Fields(said)), len(strings.Fields(why))) >= minWords
	return long && whole(said) && whole(why) && !strings.Contains(why, ". ")
}

// whole reports whether all parentheses, quotes and backticks in a text are closed: their contents aren't split.
func whole(s string) bool {
	for _, pair := range [][2]string{{"(", ")"}, {"“", "”"}} {
		if strings.Count(s, pair[0]) != strings.Count(s, pair[1]) {
			return false
		}
	}
	return strings.Count(s, `"`)%2 == 0 && strings.Count(s, "`")%2 == 0
}
