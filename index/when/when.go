// Package when reads times that a question states: "last week", "since March", "on 4 May".
package when

import (
	"cmp"
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"recall/internal/text"
)

// way is one way to state a time. Its form is compiled only for questions that contain one of its hints, which
// most don't.
type way struct {
	hints []string // in lower case; every match contains one
	form  func() *regexp.Regexp
}

//go:embed when.txt
var whenText string

var ways = sync.OnceValue(func() (all []way) {
	const (
		date = `(?<y>\d{4})[-/](?<m>\d\d?)(?:[-/](?<d>\d\d?))?`
		name = `(?<month>january|jan|february|feb|march|mar|april|apr|may|june|jun|july|jul|august|aug|september|sept|` +
			`sep|october|oct|november|nov|december|dec)\.?`
		year = `(?:,?\s+(?<year>(?:19|20)\d\d))?`
	)
	second := strings.NewReplacer("<y>", "<y2>", "<m>", "<m2>", "<d>", "<d2>", "<month>", "<month2>", "<year>", "<year2>")
	short := strings.NewReplacer("{date}", date, "{date2}", second.Replace(date), "{name}", name, "{year}", year,
		"{month}", name+year, "{month2}", second.Replace(name+year),
		"{digits}", "0,1,2,3,4,5,6,7,8,9", "{months}", "jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec")
	for line := range strings.Lines(whenText) {
		if hints, form, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); ok && line[0] != '#' {
			all = append(all, way{strings.Split(short.Replace(hints), ","), text.Pattern(`(?i)` + short.Replace(form))})
		}
	}
	return all
})

// In returns where a text states a time, and the span that it means, either end of which may be open; nil
// if it states none.
func In(s string, now time.Time) (at []int, since, until time.Time) {
	low := strings.ToLower(s)
	for _, w := range ways() {
		if !slices.ContainsFunc(w.hints, func(hint string) bool { return strings.Contains(low, hint) }) {
			continue
		}
		m := w.form().FindStringSubmatchIndex(s)
		if m == nil {
			continue
		}
		said := moment{}
		for i, name := range w.form().SubexpNames() {
			if m[2*i] >= 0 {
				name, means, _ := strings.Cut(name, "_")
				said[name] = cmp.Or(means, s[m[2*i]:m[2*i+1]])
			}
		}
		if from, to, ok := said.span(now); ok {
			since, until = bounded(said["bound"], from, to)
			return m[:2], since, until
		}
	}
	return nil, since, until
}

// moment is a stated time, by the names of the form's groups: y, m and d are the numbers of a date, month and
// year its names, each with a 2 appended for the end of a range; a day, a quarter; n units past or ago; which
// unit; a weekday; a near day. What follows a low line in a group's name is what its words mean.
type moment map[string]string

// span returns the stated span of time.
func (s moment) span(now time.Time) (from, to time.Time, ok bool) {
	which := 1 // units back
	switch strings.ToLower(s["which"]) {
	case "this":
		which = 0
	case "":
		which = 2 // before last
	}
	day, month := midnight(now), monthOf(s["month"], s["year"], now)
	switch {
	case s["y2"] != "":
		from, _, ok := dated(s["y"], s["m"], s["d"], now)
		_, to, ok2 := dated(s["y2"], s["m2"], s["d2"], now)
		return from, to, ok && ok2 && from.Before(to)
	case s["month2"] != "":
		last := monthOf(s["month2"], s["year2"], now)
		if s["year"] == "" { // the year of the range's end, or the one before
			month = time.Date(last.Year(), month.Month(), 1, 0, 0, 0, 0, now.Location())
			if month.After(last) {
				month = month.AddDate(-1, 0, 0)
			}
		}
		return month, last.AddDate(0, 1, 0), !month.After(last)
	case s["y"] != "":
		return dated(s["y"], s["m"], s["d"], now)
	case s["day"] != "":
		n, _ := strconv.Atoi(s["day"])
		if n < 1 || month.AddDate(0, 0, n-1).Month() != month.Month() {
			return from, to, false
		}
		if from = month.AddDate(0, 0, n-1); s["year"] == "" && from.After(now) {
			from = from.AddDate(-1, 0, 0)
		}
		return from, from.AddDate(0, 0, 1), true
	case s["month"] != "":
		return month, month.AddDate(0, 1, 0), true
	case s["quarter"] != "":
		n, _ := strconv.Atoi(s["quarter"])
		from = monthOf(time.Month(3*n-2).String(), s["year"], now)
		return from, from.AddDate(0, 3, 0), true
	case s["year"] != "":
		return month, month.AddDate(1, 0, 0), true
	case s["past"] != "": // up to now
		return midnight(Back(now, amounts(s["n"]), s["past"])), time.Time{}, true
	case s["ago"] != "":
		from, to = Within(Back(now, amounts(s["n"]), s["ago"]), s["ago"])
		around := map[string]int{"week": 7, "month": 30, "year": 365}[strings.ToLower(s["ago"])] / 2 // people round
		return from.AddDate(0, 0, -around), to.AddDate(0, 0, around), true
	case strings.EqualFold(s["unit"], "quarter"):
		from = time.Date(now.Year(), (now.Month()-1)/3*3+1, 1, 0, 0, 0, 0, now.Location()).AddDate(0, -3*which, 0)
		return from, from.AddDate(0, 3, 0), true
	case strings.EqualFold(s["unit"], "weekend"):
		from = day.AddDate(0, 0, -(int(now.Weekday())+1)%7) // the last Saturday, or today
		if strings.EqualFold(s["which"], "last") && (now.Weekday() == time.Saturday || now.Weekday() == time.Sunday) {
			from = from.AddDate(0, 0, -7)
		}
		return from, from.AddDate(0, 0, 2), true
	case s["unit"] != "":
		from, to = Within(Back(now, which, s["unit"]), s["unit"])
		return from, to, true
	case s["weekday"] != "":
		if !strings.EqualFold(s["bound"], "this") {
			day = day.AddDate(0, 0, -1)
		}
		for !strings.EqualFold(day.Weekday().String(), s["weekday"]) {
			day = day.AddDate(0, 0, -1)
		}
	case strings.Contains(strings.ToLower(s["near"]), "before"):
		day = day.AddDate(0, 0, -2)
	case strings.EqualFold(s["near"], "yesterday"), strings.EqualFold(s["near"], "last night"):
		day = day.AddDate(0, 0, -1)
	}
	return day, day.AddDate(0, 0, 1), true
}

func bounded(word string, from, to time.Time) (since, until time.Time) {
	switch strings.ToLower(text.OneLine(word)) {
	case "since", "from":
		return from, time.Time{}
	case "after":
		return to, time.Time{}
	case "before", "until":
		return time.Time{}, from
	case "by", "as of":
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

// monthOf returns the beginning of a month, January if none is named, and without a year the last such month.
func monthOf(name, year string, now time.Time) time.Time {
	month := time.January
	name = strings.ToUpper(name) // also maps ſ, which the expressions match as an s
	for name != "" && !strings.EqualFold(month.String()[:3], name[:3]) {
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

// Within returns the day, week (from Monday), month or year that contains t.
func Within(t time.Time, unit string) (from, to time.Time) {
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

// Back returns the same moment some units before.
func Back(t time.Time, n int, unit string) time.Time {
	switch strings.ToLower(unit) {
	case "week":
		return t.AddDate(0, 0, -7*n)
	case "month": // clamped to the 28th, so as not to overflow into the next month
		return midnight(t).AddDate(0, 0, 1-t.Day()).AddDate(0, -n, min(t.Day(), 28)-1)
	case "year":
		return t.AddDate(-n, 0, 0)
	}
	return t.AddDate(0, 0, -n)
}

// amounts parses a number of units as people write it, 1 if there is none.
func amounts(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	return map[string]int{"": 1, "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "few": 3,
		"a few": 3, "several": 4, "couple": 2, "couple of": 2, "a couple": 2, "a couple of": 2}[strings.ToLower(s)]
}
