package index

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"recall/text"
)

// when is one way of saying when. Most questions have none of its hints, and its
// form isn't compiled for them.
type when struct {
	hints []string // in lower case, one of which stands in what it matches
	form  func() *regexp.Regexp
	span  func(m []string, now time.Time) (since, until time.Time, ok bool)
}

// in finds the words in a text that say when in this way; nil if there are none.
func (w *when) in(text, low string) []int {
	for _, h := range w.hints {
		if strings.Contains(low, h) {
			return w.form().FindStringSubmatchIndex(text)
		}
	}
	return nil
}

const (
	unitRE  = `(day|week|month|year)s?`
	dateRE  = `(\d{4})[-/](\d\d?)(?:[-/](\d\d?))?`
	dayRE   = `(monday|tuesday|wednesday|thursday|friday|saturday|sunday)`
	monthRE = `(january|jan|february|feb|march|mar|april|apr|may|june|jun|july|jul|august|aug|september|sept|sep|` +
		`october|oct|november|nov|december|dec)\.?`
	yearRE = `(?:,?\s+((?:19|20)\d\d))?`
	partRE = `(?:(?:early|mid|late|the\s+(?:beginning|start|middle|end)\s+of)[\s-]+)?`
)

// whens are the ways that are understood, the longer before what they hold.
// Each needs a word that can only mean time beside it: "may" and "march" alone
// are no months.
var whens = sync.OnceValue(func() []when {
	months := []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}
	digits := strings.Split("0123456789", "")
	var all []when
	type spanOf = func(m []string, now time.Time) (from, to time.Time, ok bool)
	add := func(hints []string, form string, span spanOf) {
		all = append(all, when{hints, text.Pattern(`(?i)` + form), span})
	}
	// of what the word before it bounds
	bound := func(hints []string, form string, span spanOf) {
		add(hints, form, func(m []string, now time.Time) (a, b time.Time, ok bool) {
			from, to, ok := span(m, now)
			a, b = bounded(m[1], from, to)
			return a, b, ok
		})
	}
	add(digits, `\b(?:between|from)\s+`+dateRE+`\s+(?:and|to|until|till|through)\s+`+dateRE+`\b`,
		func(m []string, now time.Time) (a, b time.Time, ok bool) {
			from, _, ok1 := dated(m[1], m[2], m[3], now)
			_, to, ok2 := dated(m[4], m[5], m[6], now)
			return from, to, ok1 && ok2 && from.Before(to)
		})
	add(months, `\b(?:between|from)\s+`+monthRE+yearRE+`\s+(?:and|to|until|till|through)\s+`+monthRE+yearRE+`\b`,
		func(m []string, now time.Time) (a, b time.Time, ok bool) {
			last := monthOf(m[3], m[4], now)
			first := monthOf(m[1], m[2], now)
			if m[2] == "" { // of the last one's year, or the year before
				if first = time.Date(last.Year(), first.Month(), 1, 0, 0, 0, 0, now.Location()); first.After(last) {
					first = first.AddDate(-1, 0, 0)
				}
			}
			return first, last.AddDate(0, 1, 0), !first.After(last)
		})
	bound(digits, `\b(since|after|from|before|until|on|in|by|around)\s+`+dateRE+`\b`,
		func(m []string, now time.Time) (from, to time.Time, ok bool) { return dated(m[2], m[3], m[4], now) })
	bound(digits, `\b(since|after|from|before|until|on|by|around)\s+(?:the\s+)?(\d\d?)\.\s?(\d\d?)\.\s?(\d{4})\b`,
		func(m []string, now time.Time) (from, to time.Time, ok bool) { return dated(m[4], m[3], m[2], now) })
	onDay := func(month, day, year string, now time.Time) (from, to time.Time, ok bool) {
		from = monthOf(month, year, now)
		n, _ := strconv.Atoi(day)
		if n < 1 || from.AddDate(0, 0, n-1).Month() != from.Month() {
			return from, to, false
		}
		if from = from.AddDate(0, 0, n-1); year == "" && from.After(now) {
			from = from.AddDate(-1, 0, 0)
		}
		return from, from.AddDate(0, 0, 1), true
	}
	bound(months, `\b(since|after|from|before|until|on|by|around)\s+(?:the\s+)?(\d\d?)(?:st|nd|rd|th|\.)?\s+(?:of\s+)?`+
		monthRE+yearRE+`\b`,
		func(m []string, now time.Time) (from, to time.Time, ok bool) { return onDay(m[3], m[2], m[4], now) })
	bound(months, `\b(since|after|from|before|until|on|by|around)\s+`+monthRE+`\s+(\d\d?)(?:st|nd|rd|th)?`+yearRE+`\b`,
		func(m []string, now time.Time) (from, to time.Time, ok bool) { return onDay(m[2], m[3], m[4], now) })
	bound(months, `\b(?:back\s+)?(since|after|from|before|until|in|last|during|at|by|around)\s+`+partRE+
		monthRE+yearRE+`\b`,
		func(m []string, now time.Time) (from, to time.Time, ok bool) {
			from = monthOf(m[2], m[3], now)
			return from, from.AddDate(0, 1, 0), true
		})
	bound(digits, `\b(since|after|before|until|in|during|by)\s+((?:19|20)\d\d)(?:[\s?!.,;:]|$)`,
		func(m []string, now time.Time) (from, to time.Time, ok bool) {
			from = monthOf("January", m[2], now)
			return from, from.AddDate(1, 0, 0), true
		})
	bound([]string{"q1", "q2", "q3", "q4"},
		`\b(since|after|before|until|in|during|last)\s+q([1-4])(?:\s+((?:19|20)\d\d))?\b`,
		func(m []string, now time.Time) (from, to time.Time, ok bool) {
			n, _ := strconv.Atoi(m[2])
			from = monthOf(time.Month(3*n-2).String(), m[3], now)
			return from, from.AddDate(0, 3, 0), true
		})
	add([]string{"last", "past"}, `\b(?:in|over|within|during)?\s*(?:the\s+)?(?:last|past)\s+`+
		`(\d{1,3}|two|three|four|five|six|few|several|couple of|couple)\s+`+unitRE+`\b`,
		func(m []string, now time.Time) (a, b time.Time, ok bool) {
			return midnight(back(now, amount(m[1]), m[2])), time.Time{}, true
		})
	add([]string{"last", "past"}, `\b(?:(?:in|over|within|during)\s+the\s+last|(?:in\s+|over\s+|within\s+|during\s+)?`+
		`the\s+past)\s+(week|month|year)\b`,
		func(m []string, now time.Time) (a, b time.Time, ok bool) {
			return midnight(back(now, 1, m[1])), time.Time{}, true // up to now, not the one before this
		})
	add([]string{"ago", "back"}, `\b(\d{1,3}|two|three|four|five|six|a|an|one|a few|several|a couple of|a couple|`+
		`couple of)\s+`+unitRE+`\s+(?:ago|back)\b`,
		func(m []string, now time.Time) (from, to time.Time, ok bool) {
			from, to = within(back(now, amount(m[1]), m[2]), m[2])
			if m[2] != "day" { // people round
				from, to = from.AddDate(0, 0, -days(m[2])/2), to.AddDate(0, 0, days(m[2])/2)
			}
			return from, to, true
		})
	bound([]string{"before last"}, `\b(since\s+|until\s+)?the\s+(week|month|year)\s+before\s+last\b`,
		func(m []string, now time.Time) (from, to time.Time, ok bool) {
			from, to = within(back(now, 2, m[2]), m[2])
			return from, to, true
		})
	bound([]string{"quarter"}, `\b(since\s+|before\s+|until\s+)?(last|previous|this)\s+quarter\b`,
		func(m []string, now time.Time) (from, to time.Time, ok bool) {
			from = time.Date(now.Year(), (now.Month()-1)/3*3+1, 1, 0, 0, 0, 0, now.Location())
			if !strings.EqualFold(m[2], "this") {
				from = from.AddDate(0, -3, 0)
			}
			return from, from.AddDate(0, 3, 0), true
		})
	bound([]string{"weekend"}, `\b(since\s+|before\s+|until\s+)?(?:(?:over|at|on|during)\s+)?(the|last|this)\s+weekend\b`,
		func(m []string, now time.Time) (from, to time.Time, ok bool) {
			from = midnight(now).AddDate(0, 0, -(int(now.Weekday())+1)%7) // the last Saturday, or today
			if strings.EqualFold(m[2], "last") && (now.Weekday() == time.Saturday || now.Weekday() == time.Sunday) {
				from = from.AddDate(0, 0, -7)
			}
			return from, from.AddDate(0, 0, 2), true
		})
	bound([]string{"week", "month", "year"},
		`\b(since\s+|before\s+|until\s+|earlier\s+|later\s+|sometime\s+)?(last|previous|this)\s+(week|month|year)\b`,
		func(m []string, now time.Time) (from, to time.Time, ok bool) {
			n := 1
			if strings.EqualFold(m[2], "this") {
				n = 0
			}
			from, to = within(back(now, n, m[3]), m[3])
			return from, to, true
		})
	bound([]string{"day"}, `\b(since|before|until|on|last|this)\s+`+dayRE+`\b`,
		func(m []string, now time.Time) (from, to time.Time, ok bool) {
			day := midnight(now).AddDate(0, 0, -1)
			if strings.EqualFold(m[1], "this") {
				day = midnight(now)
			}
			for !strings.EqualFold(day.Weekday().String(), m[2]) {
				day = day.AddDate(0, 0, -1)
			}
			return day, day.AddDate(0, 0, 1), true
		})
	bound([]string{"yesterday", "today", "tonight", "this ", "last night"},
		`\b(since\s+|before\s+|until\s+)?((?:the\s+)?day\s+before\s+yesterday|yesterday|last night|today|tonight|`+
			`this (?:morning|afternoon|evening))\b`,
		func(m []string, now time.Time) (from, to time.Time, ok bool) {
			day := midnight(now)
			switch low := strings.ToLower(m[2]); {
			case strings.Contains(low, "before"):
				day = day.AddDate(0, 0, -2)
			case low == "yesterday" || low == "last night":
				day = day.AddDate(0, 0, -1)
			}
			return day, day.AddDate(0, 0, 1), true
		})
	return all
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
	case "by":
		return time.Time{}, to
	case "around": // people round
		return from.AddDate(0, 0, -7), to.AddDate(0, 0, 7)
	}
	return from, to
}

func dated(y, m, d string, now time.Time) (from, to time.Time, ok bool) {
	layout, s := "2006-1", y+"-"+m
	if d != "" {
		layout, s = "2006-1-2", s+"-"+d
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
	for !strings.EqualFold(month.String()[:3], name[:3]) {
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
	return map[string]int{"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "few": 3,
		"a few": 3, "several": 4, "couple": 2, "couple of": 2, "a couple": 2, "a couple of": 2}[strings.ToLower(s)]
}
