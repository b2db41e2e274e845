package index

import (
	"cmp"
	"context"
	"database/sql"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Narrowed is what of a question was understood as a filter. Where nothing is
// found within it, the question is asked without.
type Narrowed struct {
	Words        []string  // as they stand in the question: "last week", "in project billing"
	Since, Until time.Time // from then on, before then; zero if open
	Project      string
	Event        string // what "the migration" was taken for: `session "Migration 0037"`; "" for none
}

// narrow makes filters of the words of a question that say when, and of a
// project's name where it is called one. What the caller set stays.
func narrow(ctx context.Context, full *fulltext, q Query) (Query, Narrowed, error) {
	var n Narrowed
	text := q.Text
	if len(text) > longest {
		return q, n, nil // that is no question in a sentence
	}
	if q.Since.IsZero() && q.Until.IsZero() {
		now := q.Now
		if now.IsZero() {
			now = cmp.Or(q.AsOf, time.Now())
		}
		for _, w := range whens() {
			m := w.form.FindStringSubmatchIndex(text)
			if m == nil {
				continue
			}
			since, until, ok := w.span(groups(text, m), now)
			if !ok {
				continue
			}
			n.Since, n.Until = since, until
			n.Words = append(n.Words, strings.TrimSpace(text[m[0]:m[1]]))
			text = text[:m[0]] + " " + text[m[1]:]
			break
		}
		if len(n.Words) == 0 {
			since, until, what, phrase, ok, err := eventOf(ctx, full, q, text)
			if err != nil {
				return q, n, err
			}
			if ok {
				n.Since, n.Until, n.Event = since, until, what
				n.Words = append(n.Words, strings.TrimSpace(phrase))
				text = strings.Replace(text, phrase, " ", 1)
			}
		}
	}
	if q.Project == "" {
		if m := projectForm().FindStringSubmatchIndex(text); m != nil {
			name := cmp.Or(groups(text, m)[1:]...)
			var known string
			err := full.tx.QueryRowContext(ctx, `SELECT project FROM session WHERE project=? COLLATE NOCASE LIMIT 1`, name).Scan(&known)
			if err != nil && err != sql.ErrNoRows {
				return q, n, err
			}
			if known != "" {
				n.Project = known
				n.Words = append(n.Words, strings.TrimSpace(text[m[0]:m[1]]))
				text = text[:m[0]] + " " + text[m[1]:]
			}
		}
	}
	if len(n.Words) == 0 {
		return q, Narrowed{}, nil
	}
	q.Text, q.Since, q.Until = text, cmp.Or(q.Since, n.Since), cmp.Or(q.Until, n.Until)
	q.Project = cmp.Or(q.Project, n.Project)
	return q, n, nil
}

// projectForm matches a name that is called a project's.
var projectForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:\b(?:in|for|of|on|from|within)\s+)?(?:\bthe\s+)?(?:\b(?:project|repo|repository)\s+["“']?([\w.-]*\w)["”']?|["“']?([\w.-]*\w)["”']?\s+(?:project|repo|repository)\b)`)
})

func groups(s string, m []int) []string {
	var out []string
	for i := 0; i < len(m); i += 2 {
		if m[i] < 0 {
			out = append(out, "")
		} else {
			out = append(out, s[m[i]:m[i+1]])
		}
	}
	return out
}

// when is one way of saying when.
type when struct {
	form *regexp.Regexp
	span func(m []string, now time.Time) (since, until time.Time, ok bool)
}

const (
	unitRE  = `(day|week|month|year)s?`
	monthRE = `(january|february|march|april|may|june|july|august|september|october|november|december)`
	dateRE  = `(\d{4})-(\d\d)(?:-(\d\d))?`
	dayRE   = `(monday|tuesday|wednesday|thursday|friday|saturday|sunday)`
)

// whens are the ways that are understood, the longer before what they hold.
// Each needs a word that can only mean time beside it: "may" and "march" alone
// are no months.
var whens = sync.OnceValue(func() []when {
	return []when{
		{regexp.MustCompile(`(?i)\b(since|after|from|before|until|on|in)\s+` + dateRE + `\b`), func(m []string, now time.Time) (a, b time.Time, ok bool) {
			from, to, ok := dated(m[2], m[3], m[4], now)
			a, b = bounded(m[1], from, to)
			return a, b, ok
		}},
		{regexp.MustCompile(`(?i)\b(since|after|from|before|until|in|last|during)\s+` + monthRE + `(?:,?\s+((?:19|20)\d\d))?\b`), func(m []string, now time.Time) (a, b time.Time, ok bool) {
			from := monthOf(m[2], m[3], now)
			a, b = bounded(m[1], from, from.AddDate(0, 1, 0))
			return a, b, true
		}},
		{regexp.MustCompile(`(?i)\b(since|after|before|until|in|during)\s+((?:19|20)\d\d)(?:[\s?!.,;:]|$)`), func(m []string, now time.Time) (a, b time.Time, ok bool) {
			y, _ := strconv.Atoi(m[2])
			from := time.Date(y, 1, 1, 0, 0, 0, 0, now.Location())
			a, b = bounded(m[1], from, from.AddDate(1, 0, 0))
			return a, b, true
		}},
		{regexp.MustCompile(`(?i)\b(?:in|over|within|during)?\s*(?:the\s+)?(?:last|past)\s+(\d{1,3}|two|three|four|five|six|few|couple of)\s+` + unitRE + `\b`), func(m []string, now time.Time) (a, b time.Time, ok bool) {
			return midnight(back(now, amount(m[1]), m[2])), time.Time{}, true
		}},
		{regexp.MustCompile(`(?i)\b(\d{1,3}|two|three|four|five|six|a|an|one|a few|a couple of)\s+` + unitRE + `\s+ago\b`), func(m []string, now time.Time) (a, b time.Time, ok bool) {
			n := amount(m[1])
			from, to := within(back(now, n, m[2]), m[2])
			if m[2] != "day" { // people round
				from, to = from.AddDate(0, 0, -days(m[2])/2), to.AddDate(0, 0, days(m[2])/2)
			}
			return from, to, true
		}},
		{regexp.MustCompile(`(?i)\b(since\s+|before\s+|until\s+)?(last|this)\s+(week|month|year)\b`), func(m []string, now time.Time) (a, b time.Time, ok bool) {
			n := 0
			if strings.EqualFold(m[2], "last") {
				n = 1
			}
			from, to := within(back(now, n, m[3]), m[3])
			a, b = bounded(m[1], from, to)
			return a, b, true
		}},
		{regexp.MustCompile(`(?i)\b(since|before|until|on|last)\s+` + dayRE + `\b`), func(m []string, now time.Time) (a, b time.Time, ok bool) {
			day := midnight(now).AddDate(0, 0, -1)
			for !strings.EqualFold(day.Weekday().String(), m[2]) {
				day = day.AddDate(0, 0, -1)
			}
			a, b = bounded(m[1], day, day.AddDate(0, 0, 1))
			return a, b, true
		}},
		{regexp.MustCompile(`(?i)\b(since\s+|before\s+|until\s+)?(yesterday|today)\b`), func(m []string, now time.Time) (a, b time.Time, ok bool) {
			day := midnight(now)
			if strings.EqualFold(m[2], "yesterday") {
				day = day.AddDate(0, 0, -1)
			}
			a, b = bounded(m[1], day, day.AddDate(0, 0, 1))
			return a, b, true
		}},
	}
})

// bounded is a span of time as the word before it means it.
func bounded(word string, from, to time.Time) (since, until time.Time) {
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "since", "from":
		return from, time.Time{}
	case "after":
		return to, time.Time{}
	case "before", "until":
		return time.Time{}, from
	}
	return from, to
}

func dated(y, m, d string, now time.Time) (from, to time.Time, ok bool) {
	layout, s := "2006-01", y+"-"+m
	if d != "" {
		layout, s = "2006-01-02", s+"-"+d
	}
	from, err := time.ParseInLocation(layout, s, now.Location())
	if err != nil {
		return from, to, false
	}
	if d != "" {
		return from, from.AddDate(0, 0, 1), true
	}
	return from, from.AddDate(0, 1, 0), true
}

// monthOf is the beginning of a month, the last such one where no year is
// given.
func monthOf(name, year string, now time.Time) time.Time {
	month := time.January
	for !strings.EqualFold(month.String(), name) {
		month++
	}
	if y, err := strconv.Atoi(year); err == nil {
		return time.Date(y, month, 1, 0, 0, 0, 0, now.Location())
	}
	from := time.Date(now.Year(), month, 1, 0, 0, 0, 0, now.Location())
	if from.After(now) {
		from = from.AddDate(-1, 0, 0)
	}
	return from
}

func midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

// within is the day, week (from Monday), month or year that holds t.
func within(t time.Time, unit string) (from, to time.Time) {
	day := midnight(t)
	switch strings.ToLower(unit) {
	case "week":
		from = day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
		return from, from.AddDate(0, 0, 7)
	case "month":
		from = day.AddDate(0, 0, 1-day.Day())
		return from, from.AddDate(0, 1, 0)
	case "year":
		from = time.Date(t.Year(), 1, 1, 0, 0, 0, 0, t.Location())
		return from, from.AddDate(1, 0, 0)
	}
	return day, day.AddDate(0, 0, 1)
}

func back(t time.Time, n int, unit string) time.Time {
	switch strings.ToLower(unit) {
	case "week":
		return t.AddDate(0, 0, -7*n)
	case "month": // not from the 31st into the month after
		return midnight(t).AddDate(0, 0, 1-t.Day()).AddDate(0, -n, min(t.Day(), 28)-1)
	case "year":
		return t.AddDate(-n, 0, 0)
	}
	return t.AddDate(0, 0, -n)
}

func days(unit string) int {
	return map[string]int{"week": 7, "month": 30, "year": 365}[strings.ToLower(unit)]
}

func amount(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	return map[string]int{"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "few": 3, "a few": 3, "couple of": 2, "a couple of": 2}[strings.ToLower(s)]
}
