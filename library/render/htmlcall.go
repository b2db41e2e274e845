package render

import (
	"cmp"
	"fmt"
	"path"
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
	if n := changed(c); n != "" {
		what = base(c.Path) + " " + n
	}
	if s := state(*c); s == "failed" || s == "refused" {
		what = strings.TrimSpace(cmp.Or(what, base(c.Path)) + " ✗")
	}
	return what
}

func base(name string) string {
	if name == "" {
		return ""
	}
	return oneLine(path.Base(strings.ReplaceAll(name, `\`, "/")), 60)
}

// changed counts the lines that a call added to and removed from a file, "" if it changed none.
func changed(c *ingest.ToolCall) string {
	added, removed := 0, 0
	for _, l := range diffs(*c) {
		switch l.Sign {
		case "+":
			added++
		case "−":
			removed++
		}
	}
	if added+removed == 0 {
		return ""
	}
	return fmt.Sprintf("+%d −%d", added, removed)
}

// diffs returns the lines that a call replaced or wrote, "…" between two places.
func diffs(c ingest.ToolCall) (all []diffLine) {
	edits := c.Edits
	if text := c.Input["content"]; len(edits) == 0 && c.Path != "" && text != "" {
		edits = []ingest.Edit{{New: text}}
	}
	for i, e := range edits {
		if i > 0 {
			all = append(all, diffLine{"", "…"})
		}
		all = append(all, diff(e)...)
	}
	return all
}

// A line of a replacement: Sign is "+" if it was added, "−" if it was removed, "" if it is beside them.
type diffLine struct{ Sign, Text string }

// diff returns a replacement's lines. An edit names few lines besides those that it changes, at its beginning and end.
func diff(e ingest.Edit) (all []diffLine) {
	old, now := linesOf(e.Old), linesOf(e.New)
	before, after := 0, 0
	for before < min(len(old), len(now)) && old[before] == now[before] {
		before++
	}
	for after < min(len(old), len(now))-before && old[len(old)-1-after] == now[len(now)-1-after] {
		after++
	}
	put := func(sign string, lines []string) {
		for _, l := range lines {
			all = append(all, diffLine{sign, l})
		}
	}
	put("", old[:before])
	put("−", old[before:len(old)-after])
	put("+", now[before:len(now)-after])
	put("", old[len(old)-after:])
	return all
}

func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

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
