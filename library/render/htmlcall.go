package render

import (
	"cmp"
	"fmt"
	"strings"

	"recall/ingest"
)

// mostDone is how many steps the line over folded calls names.
const mostDone = 6

// done says in one line what a turn's calls did: "Edit route.go +12 −3 · Bash go test ./… ✗ · Read ×6".
func done(calls []ingest.ToolCall) string {
	var steps []string
	for i, left := 0, len(calls); i < len(calls); left = len(calls) - i {
		if len(steps) == mostDone && left > 1 {
			steps = append(steps, fmt.Sprintf("%d more", left))
			break
		}
		alike := i + 1
		for alike < len(calls) && calls[alike].Name == calls[i].Name && tersely(&calls[i])+tersely(&calls[alike]) == "" {
			alike++
		}
		step := oneLine(calls[i].Name, 40)
		if alike > i+1 {
			step += fmt.Sprintf(" ×%d", alike-i)
		} else if what := cmp.Or(tersely(&calls[i]), base(calls[i].Path), oneLine(calls[i].Telling(), 60)); what != "" {
			step += " " + what
		}
		steps, i = append(steps, step), alike
	}
	return strings.Join(steps, " · ")
}

// tersely says what sets a call apart from others of its tool: its command, how much it changed, that it failed. It is
// "" for one like all others.
func tersely(c *ingest.ToolCall) string {
	what := oneLine(c.Command, 60)
	if added, removed := c.Lines(); added+removed > 0 {
		what = fmt.Sprintf("%s +%d −%d", base(c.Path), added, removed)
	}
	if s := state(*c); s == "failed" || s == "refused" {
		what = strings.TrimSpace(cmp.Or(what, base(c.Path)) + " ✗")
	}
	return what
}

func base(name string) string { return oneLine(ingest.LastName(name), 60) }

// diffs returns the lines that a call replaced or wrote, "…" between two places.
func diffs(c ingest.ToolCall) (all []diffLine) {
	put := func(sign string, lines []string) {
		for _, l := range lines {
			all = append(all, diffLine{sign, l})
		}
	}
	for i, e := range c.Replaced() {
		if i > 0 {
			all = append(all, diffLine{"", "…"})
		}
		before, old, now, after := e.Lines()
		put("", before)
		put("−", old)
		put("+", now)
		put("", after)
	}
	return all
}

// A line of a replacement: Sign is "+" if it was added, "−" if it was removed, "" if it is beside them.
type diffLine struct{ Sign, Text string }

// output returns what a tool said if that is more than the line that is shown anyway: its beginning and its end, as far
// as they are kept.
func output(c ingest.ToolCall) string {
	if len(c.Answers) > 0 || c.Plan != nil || lineCount(c.Result) < 2 && len(c.Result) <= 120 {
		return ""
	}
	said := strings.TrimRight(c.Result, "\n")
	if left := c.ResultLen - int64(len(c.Result)); left > 0 {
		said += fmt.Sprintf("\n\n(%d bytes in all)", c.ResultLen)
	}
	return said
}
