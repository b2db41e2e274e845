package index

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"recall/index/rank"
	"recall/index/when"
	"recall/internal/text"
)

// Filters is the part of a question that was understood as a time or a project. What is of it comes before the rest,
// which counts a little less.
type Filters struct {
	Words   []string  `json:"words"` // as written in the question: "last week", "in project billing"
	Project string    `json:"project,omitempty"`
	Since   time.Time `json:"since,omitzero"` // from then on
	Until   time.Time `json:"until,omitzero"` // before then
}

// narrow turns the words of a question that state a time, and a name called a project, into filters. It keeps
// those that the caller set.
func narrow(ctx context.Context, tx querier, q Query) (Query, Filters, error) {
	var n Filters
	text := q.Text
	if q.Stated || len(text) > maxQuestion {
		return q, n, nil // not a question, or not of one sentence
	}
	take := func(at []int) (phrase string) { // cuts it out of the question
		phrase = strings.TrimSpace(text[at[0]:at[1]])
		n.Words = append(n.Words, phrase)
		text = text[:at[0]] + " " + text[at[1]:]
		return phrase
	}
	if q.Since.IsZero() && q.Until.IsZero() {
		now := q.Now
		if now.IsZero() {
			now = cmp.Or(q.AsOf, time.Now())
		}
		if at, since, until := when.In(text, now); at != nil {
			n.Since, n.Until = since, until
			if phrase := take(at); q.AsOf.IsZero() && strings.HasPrefix(strings.ToLower(phrase), "as") {
				q.AsOf = until // "as of March" asks how things stood then
			}
		}
	}
	if q.Project == "" {
		if m := projectForm().FindStringSubmatch(text); m != nil {
			known, err := column[string](ctx, tx, `SELECT project FROM session WHERE project=? COLLATE NOCASE LIMIT 1`,
				cmp.Or(m[1:]...))
			if err != nil {
				return q, n, err
			}
			for _, n.Project = range known {
				take(projectForm().FindStringIndex(text))
			}
		}
	}
	if len(n.Words) == 0 {
		return q, Filters{}, nil
	}
	q.Text, q.Since, q.Until = text, cmp.Or(q.Since, n.Since), cmp.Or(q.Until, n.Until)
	q.Project = cmp.Or(q.Project, n.Project)
	return q, n, nil
}

var projectForm = text.Pattern(`(?i)(?:\b(?:in|for|of|on|from|within)\s+)?(?:\bthe\s+)?(?:\b(?:project|repo|` +
	`repository)\s+["“']?([\w.-]*\w)["”']?|["“']?([\w.-]*\w)["”']?\s+(?:project|repo|repository)\b)`)

// dropFraming drops the terms of a question that only phrase it ("how many times did we …"), unless nothing
// else is left. Terms that occur a second time stay.
func dropFraming(s string, ts []term) []term {
	var words []string
	for _, t := range ts {
		words = append(words, t.word)
	}
	small := text.Small(words)
	ts = less(ts, func(t term) bool { return small(t.word) })
	s = text.HeadMarked(s, maxQuestion)
	var asking []string
	for _, f := range rank.Phrases().Frames {
		for _, m := range f.FindAllStringSubmatch(s, -1) {
			for w := range strings.FieldsSeq(strings.ToLower(strings.Join(m[1:], " "))) {
				asking = append(asking, text.Stem(w))
			}
		}
	}
	if len(asking) == 0 {
		return ts
	}
	times := map[string]int{}
	text.Each(s, func(w string) bool { times[text.Stem(w)]++; return true })
	return less(ts, func(t term) bool { return times[t.stem] == 1 && slices.Contains(asking, t.stem) })
}

// less drops terms, unless nothing else is left.
func less(ts []term, drops func(term) bool) []term {
	if kept := slices.DeleteFunc(slices.Clone(ts), drops); len(kept) > 0 {
		return kept
	}
	return ts
}
