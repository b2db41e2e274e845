package terminal

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"recall/hint"
	"recall/ingest"
	"recall/pipeline"
	"recall/redact"
	"recall/sink"
)

// ParseWhen reads a day as people write it on a command line: 2026-04-17,
// 2026-04, "today", "yesterday", or a length of time ago: 12h, 3d, 2w, 6m, 1y.
// The answer is the beginning of that day in loc.
func ParseWhen(s string, now time.Time, loc *time.Location) (time.Time, error) {
	from, _, err := span(s, now, loc)
	return from, err
}

// ParseDay is ParseWhen for a day, a month or a year as a whole: its end. A
// moment is itself.
func ParseDay(s string, now time.Time, loc *time.Location) (time.Time, error) {
	_, to, err := span(s, now, loc)
	return to, err
}

func span(s string, now time.Time, loc *time.Location) (from, to time.Time, err error) {
	now = now.In(loc)
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, loc)
	s = strings.ToLower(strings.TrimSpace(s))
	for layout, long := range map[string][3]int{"2006-01-02": {0, 0, 1}, "2006-01": {0, 1, 0}, "2006": {1, 0, 0}} {
		if t, err := time.ParseInLocation(layout, s, loc); err == nil {
			return t, t.AddDate(long[0], long[1], long[2]), nil
		}
	}
	if t, err := time.Parse(time.RFC3339, strings.ToUpper(s)); err == nil {
		return t, t, nil
	}
	s = cmp.Or(map[string]string{"today": "0d", "yesterday": "1d"}[s], s)
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
	return from, to, hint.With(fmt.Errorf("%q is no day", s),
		"write 2026-04-17, 2026-04, today, yesterday, or how long ago: 12h, 3d, 2w, 6m, 1y")
}

// NoSuchFile says plainly that a file which was named isn't there.
func NoSuchFile(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return hint.With(fmt.Errorf("%s: no such file or folder", name),
			"give the path of a transcript or of a folder with transcripts")
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Waits says how many sessions wait.
func Waits(n int) string {
	return map[bool]string{true: "1 session waits", false: fmt.Sprintf("%d sessions wait", n)}[n == 1]
}

// Elapsed rounds a time for people.
func Elapsed(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}

// ShownPath is a path of this machine as it may be printed. Claude Code calls the
// folder of a transcript by the working directory, and that may be called by a
// secret; what is printed may be read by an agent.
func ShownPath(path string) string {
	return ingest.MapPath(path, shownRules().Session().Name)
}

func ShowEach(paths []string, show func(string) string) []string {
	paths = slices.Clone(paths)
	for i := range paths {
		paths[i] = show(paths[i])
	}
	return paths
}

var shownRules = sync.OnceValue(redact.New)

// Few shows the first of a list, and says how many more there are.
func Few[T any](list []T, most int, show func(T), more func(left int)) {
	for _, one := range list[:min(len(list), most)] {
		show(one)
	}
	if left := len(list) - most; left > 0 {
		more(left)
	}
}

// ResumeCommand is what a person types to go on with a session that was put back, "" where its client has no command.
func ResumeCommand(r pipeline.Restoring) string {
	words, env := r.Resume()
	if words == nil {
		return ""
	}
	for i, word := range words {
		words[i] = sink.Shell(word)
	}
	line := strings.Join(words, " ")
	for _, set := range env {
		name, value, _ := strings.Cut(set, "=")
		line = name + "=" + sink.Shell(value) + " " + line
	}
	if r.Dir != "" {
		line = "cd " + sink.Shell(ShownPath(r.Dir)) + " && " + line
	}
	return line
}
