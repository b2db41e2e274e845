package main

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"recall/payload"
)

// reasoned are the kinds whose text may hold their reason.
var reasoned = []payload.Kind{payload.Decision, payload.Eliminated, payload.Finding, payload.Deferred, payload.Flag}

// The ways in which a sentence ends with its reason. "since" is a time as often,
// and what stands behind a dash a detail: both need a clause of their own there.
var (
	becauseForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^(.+?),? because (.+)$`) })
	sinceForm   = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(.+?),? since ((?:it|its|they|we|that|this|there|the|no|nobody|nothing|our|a|an)\b.+)$`)
	})
	dashForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(.+) [—–] ((?:it|it's|its|they|they're|that|that's|this|there|there's|we|otherwise|too|nobody|nothing)\b.+)$`)
	})
	clauseForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:is|are|was|were|has|have|had|does|do|did|can|can't|cannot|will|won't|would|don't|doesn't|didn't|isn't|aren't|it's|that's|they're|there's|needs?|takes?|costs?|breaks?|fails?|forbids?|means?|makes?|keeps?|locks?)\b`)
	})
)

// Of a sentence that is cut into two, each must have so many words.
const leastWords = 3

// withReason is an item to be shown, whose reason, where it has none of its own,
// is taken out of the end of its text.
func withReason(it payload.Item) payload.Item {
	if it.Why != "" || !slices.Contains(reasoned, it.Kind) {
		return it
	}
	text := oneLine(it.Text)
	for i, form := range []func() *regexp.Regexp{becauseForm, sinceForm, dashForm} {
		m := form().FindStringSubmatch(text)
		if m == nil || len(strings.Fields(m[1])) < leastWords || len(strings.Fields(m[2])) < leastWords || i > 0 && !clauseForm().MatchString(m[2]) || !whole(m[1]) || !whole(m[2]) || strings.Contains(m[2], ". ") {
			continue
		}
		it.Text, it.Why = strings.TrimRight(m[1], ",;: ")+".", strings.TrimRight(m[2], ". ")
		return it
	}
	return it
}

// whole tells whether nothing in a text is opened and not closed: what stands in
// parentheses, quotes or code isn't cut.
func whole(s string) bool {
	return strings.Count(s, "(") == strings.Count(s, ")") && strings.Count(s, "“") == strings.Count(s, "”") && strings.Count(s, `"`)%2 == 0 && strings.Count(s, "`")%2 == 0
}
