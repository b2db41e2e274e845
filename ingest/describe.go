package ingest

import (
	_ "embed"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"text/template"
	"time"

	"recall/text"
)

// Write writes an inspection as plain text.
func (in Inspection) Write(w io.Writer) error { return described().Execute(w, in) }

//go:embed describe.tmpl
var describeText string

// described is the page, in which a row without anything to tell isn't written.
var described = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("describe").Funcs(template.FuncMap{
		"row": row, "some": some, "kind": kind, "tokens": tokens, "span": span, "turn": turnLine, "size": size,
		"byName": byName, "line": oneLine, "list": joined[string], "ids": joined[SessionID], "state": state,
		"str":   func(v any) string { s, _ := v.(string); return s },
		"parts": func(list []string) string { return strings.Join(list, between) },
		"trim":  func(parts ...string) string { return strings.TrimSpace(strings.Join(parts, " ")) },
		"below": func(text string) string { return fmt.Sprintf("%19s %s\n", "", text) },
		"more":  func(r Report) int { return r.SkippedTotal - len(r.Skipped) },
		"placed": func(s Skip) string {
			return fmt.Sprintf("%s:%d (byte %s)", s.File, s.Line, text.Thousands(s.Offset))
		},
		"counted": func(n any, noun string, abandoned ...int) string {
			text := counted(int(reflect.ValueOf(n).Int()), noun)
			if len(abandoned) > 0 && abandoned[0] > 0 {
				text += fmt.Sprintf(" (+%d abandoned)", abandoned[0])
			}
			return text
		},
		"answered": func(a Answer) (note string) {
			if a.Free {
				note = " (own words)"
			}
			if a.Notes != "" {
				note += " (note: " + a.Notes + ")"
			}
			return note
		},
	}).Parse(describeText))
})

const between = " · "

// row is a name and what belongs to it, "" if there is nothing.
func row(name string, parts ...any) string {
	var there []string
	for _, p := range parts {
		if s := fmt.Sprint(p); s != "" {
			there = append(there, s)
		}
	}
	if len(there) == 0 {
		return ""
	}
	return fmt.Sprintf("  %-9s %s\n", name, strings.Join(there, between))
}

func joined[T ~string](list []T) string { return strings.Join(text.Strings(list), ", ") }

func some(n int, noun string) string {
	if n == 0 {
		return ""
	}
	return counted(n, noun)
}

func kind(n int, what string) string {
	if n == 0 {
		return ""
	}
	return text.Thousands(int64(n)) + " " + what
}

func tokens(u Usage) string {
	if u == (Usage{}) {
		return ""
	}
	return fmt.Sprintf("%s in · %s out · %s written to cache · %s read from it",
		text.Thousands(u.Input), text.Thousands(u.Output), text.Thousands(u.CacheWrite), text.Thousands(u.CacheRead))
}

const clock = "2006-01-02 15:04:05"

func span(from, to time.Time) string {
	switch {
	case from.IsZero() && to.IsZero():
		return ""
	case from.Equal(to) || to.IsZero():
		return from.UTC().Format(clock) + " UTC"
	}
	return from.UTC().Format(clock) + " to " + to.UTC().Format(clock) + " UTC"
}

// turnLine is a turn in a line. A ~ marks what isn't part of the conversation as it
// was left.
func turnLine(t InspectedTurn) string {
	mark, at := " ", ""
	if slices.Contains(t.Flags, "abandoned") {
		mark = "~"
	}
	if !t.At.IsZero() {
		at = t.At.UTC().Format("15:04:05")
	}
	text := t.Text
	if t.Name != "" {
		text = strings.TrimSpace(t.Name + " " + text)
	}
	if len(t.Flags) > 0 {
		text = strings.TrimSpace(text + "  [" + strings.Join(t.Flags, ", ") + "]")
	}
	return strings.TrimRight(fmt.Sprintf("%s%4d  %-9s  %8s  %s", mark, t.N, t.Kind, at, text), " ")
}

func state(c InspectedCall) string {
	state := c.State
	if c.Verdict != Unasked {
		state = string(c.Verdict)
	}
	if c.Reason != "" {
		state += ": " + c.Reason
	}
	return state
}

func size(c Compaction) string {
	switch {
	case c.Before <= 0:
		return ""
	case c.After > 0:
		return text.Thousands(c.Before) + " → " + text.Thousands(c.After) + " tokens"
	}
	return "from " + text.Thousands(c.Before) + " tokens"
}

// byName lists counts, the highest first.
func byName(m map[string]int) string {
	names := slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		if m[a] != m[b] {
			return m[b] - m[a]
		}
		return strings.Compare(a, b)
	})
	var out []string
	for _, n := range names {
		if m[n] > 0 {
			out = append(out, fmt.Sprintf("%s %d", oneLine(n), m[n]))
		}
	}
	return strings.Join(out, ", ")
}
