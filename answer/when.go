package answer

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"recall/index/when"
	"recall/internal/hint"
)

// ParseWhen reads a day as people write it on a command line: 2026-04-17, 2026-04, how long ago: 12h, 3d, 2w, 6m, 1y,
// or a time as a question states it: "today", "last week". It returns the start of that in now's time zone.
func ParseWhen(s string, now time.Time) (time.Time, error) {
	from, _, err := span(s, now)
	return from, err
}

// ParseDay is ParseWhen but returns the end of the day, month or year. A point in time is returned as it is.
func ParseDay(s string, now time.Time) (time.Time, error) {
	_, to, err := span(s, now)
	return to, err
}

func span(s string, now time.Time) (from, to time.Time, err error) {
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	s = strings.ToLower(strings.TrimSpace(s))
	for layout, long := range map[string][3]int{"2006-01-02": {0, 0, 1}, "2006-01": {0, 1, 0}, "2006": {1, 0, 0}} {
		if t, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return t, t.AddDate(long[0], long[1], long[2]), nil
		}
	}
	if t, err := time.Parse(time.RFC3339, strings.ToUpper(s)); err == nil {
		return t, t, nil
	}
	if at, since, until := when.In(s, now); len(at) > 0 && at[0] == 0 && at[1] == len(s) && !until.IsZero() {
		return since, until, nil
	}
	n, err := strconv.Atoi(s[:max(0, len(s)-1)])
	unit := s[max(0, len(s)-1):]
	ago, days := map[string][3]int{"d": {0, 0, -n}, "w": {0, 0, -7 * n}, "m": {0, -n, 0}, "y": {-n, 0, 0}}[unit]
	switch {
	case err != nil || n < 0 || n >= 10_000:
	case unit == "h":
		t := now.Add(-time.Duration(n) * time.Hour)
		return t, t, nil
	case days:
		from = day.AddDate(ago[0], ago[1], ago[2])
		return from, from.AddDate(0, 0, 1), nil
	}
	return from, to, hint.With(fmt.Errorf("%q is not a day", s),
		"write 2026-04-17, 2026-04, today, last week, or how long ago: 12h, 3d, 2w, 6m, 1y")
}
