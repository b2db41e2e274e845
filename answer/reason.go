package answer

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"recall/payload"
	"recall/sink"
)

// reasoned are the kinds whose text may hold their reason.
var reasoned = []payload.Kind{payload.Decision, payload.Eliminated, payload.Finding, payload.Deferred, payload.Flag}

// The ways in which a sentence ends with its reason. "since" is a time as often,
// and what stands behind a dash a detail: both need a clause of their own there.
var (
	becauseForm = form(`(?i)^(.+?),? because (.+)$`)
	sinceForm   = form(`(?i)^(.+?),? since ((?:it|its|they|we|that|this|there|the|no|nobody|nothing|our|a|an)\b.+)$`)
	dashForm    = form(`(?i)^(.+) [—–] ((?:it|it's|its|they|they're|` +
		`that|that's|this|there|there's|we|otherwise|too|nobody|nothing)\b.+)$`)
	clauseForm = form(`(?i)\b(?:is|are|was|were|has|have|had|does|do|did|can|can't|cannot|will|won't|would|don't|` +
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
	text := sink.Line(it.Text, sink.Terminal)
	for i, form := range []func() *regexp.Regexp{becauseForm, sinceForm, dashForm} {
		m := form().FindStringSubmatch(text)
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

// form compiles an expression when it is first asked for.
func form(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
