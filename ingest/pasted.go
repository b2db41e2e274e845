package ingest

import (
	"strings"

	"recall/internal/text"
)

// Somebody else's words in a prompt: what the person quotes or pastes, and the template that their words fill.

// quotedParts finds what a person pasted: lines behind "> ", fenced blocks, what a terminal or a program printed.
func quotedParts(text string) (parts []Foreign) {
	lines := strings.SplitAfter(text, "\n")
	for at, i := 0, 0; i < len(lines); {
		pasted := pastedLines(lines[i:])
		size := len(strings.Join(lines[i:i+max(pasted, 1)], ""))
		if pasted > 0 {
			parts = append(parts, Foreign{From: at, To: at + size, Label: ForeignPasted})
		}
		at, i = at+size, i+max(pasted, 1)
	}
	return parts
}

// pastedLines counts the lines at the beginning that weren't typed.
func pastedLines(lines []string) int {
	first := strings.TrimSpace(lines[0])
	until := func(ends func(line string) bool) int {
		n := 1
		for n < len(lines) && !ends(lines[n]) {
			n++
		}
		return n
	}
	switch {
	case strings.HasPrefix(first, "```"), strings.HasPrefix(first, "~~~"):
		closing := until(func(line string) bool { return strings.TrimSpace(line) == first[:3] })
		return min(closing+1, len(lines))
	case first == ">", strings.HasPrefix(first, "> "):
		return 1
	case shellPrompt().MatchString(first):
		return until(func(line string) bool { return strings.TrimSpace(line) == "" })
	case printed().MatchString(first):
		n := until(func(line string) bool {
			return !printed().MatchString(strings.TrimSpace(line)) && !strings.HasPrefix(line, "  ") &&
				!strings.HasPrefix(line, "\t")
		})
		if n > 1 { // one line can be typed
			return n
		}
	}
	return 0
}

var (
	shellPrompt = text.Pattern(`^(?:(?:\([\w.-]+\) ?)?[\w.-]+@[\w.-]+\S*(?: [^\s$#%]+)? ?[$#%]|[$❯➜]|PS [A-Z]:\\[^>]*>|` +
		`[A-Z]:\\[^>]*>) ?[A-Za-z./~]\S*(?: |$)`)
	printed = text.Pattern(`^(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|at \S+ ?\(|File "[^"]+", line \d|Traceback |` +
		`(?i:error|warn(?:ing)?|info|debug|fatal|panic)(?:\[\w+\])?:? |\[(?i:error|warn(?:ing)?|info|debug)\]|npm ERR!|` +
		`goroutine \d+ \[|--- (?:FAIL|PASS)|=== RUN|(?:FAIL|PASS|ok)\t|\S+\.[a-z]+:\d+(?::\d+)?:? |diff --git |@@ -\d|` +
		`(?:\+\+\+|---) \S+/)`)
)

// filledIn matches the template of a custom prompt that says which part of it the person wrote.
var filledIn = text.Pattern("(?s)\\A.*?\n?(?:## User Input\\s*\n+```\\w*\n(.*?)\n?```\\s*\n+You \\*\\*MUST\\*\\* consider|" +
	"you \\*\\*MUST\\*\\* consider [^\n]*\n+User input:\\s*\n+(.*?)\n\n)")

// fillsIn keeps of an expanded template what the person wrote; where that is nothing, all is the template's.
func (t *Turn) fillsIn() (empty bool) {
	m := filledIn().FindStringSubmatch(t.Text)
	if m == nil {
		return false
	}
	own := strings.TrimSpace(m[1] + m[2])
	if own != "" {
		t.Text = own
	}
	return own == ""
}
