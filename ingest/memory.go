package ingest

import (
	"regexp"
	"strings"

	"recall/internal/text"
)

type memoryRule struct {
	open  func() *regexp.Regexp
	label string
}

func tagRule(tag, label string) memoryRule {
	return memoryRule{text.Pattern(`(?mi)^[ \t>]*<(` + tag + `)(?:\s[^>\n]*)?>`), label}
}

// memoryRules find the elements in which tools pass memories and instructions to a model.
var memoryRules = []memoryRule{
	tagRule(`claude-mem[\w-]*`, "claude-mem"),
	tagRule(`engram[\w-]*`, "engram"),
	tagRule(`mem0[\w-]*`, "mem0"),
	tagRule(`mempalace[\w-]*`, "MemPalace"),
	tagRule(`supermemory[\w-]*`, "supermemory"),
	tagRule(`basic-memory[\w-]*`, "basic-memory"),
	tagRule(`(?:memory|memories|(?:relevant|user|project|session|recalled|retrieved|long_term|long-term)`+
		`[-_]memor(?:y|ies)|memory[-_][a-z]+)`, ForeignMemory),
	tagRule(`(?:claudeMd|claude_md|claude-md)`, ForeignRules),
	tagRule(`auto[-_]memory`, ForeignAuto),
	tagRule(`system[-_](?:instructions?|prompt|message|notice)`, ForeignWrapper),
}

// clientRule finds what a client puts before a prompt, or in its place: incoming reviews, a button's request. Clients
// name such elements in lower case with hyphens. They contain other people's text unescaped, which can close the
// element early, so the part extends to the last closing tag.
var clientRule = memoryRule{text.Pattern(`\A\s*<([a-z]+(?:-[a-z]+)+)(?:\s[^>]*)?>`), ForeignWrapper}

var (
	contentsOf = text.Pattern(`(?m)^Contents of ([^\n]*?(?:CLAUDE(?:\.local)?|AGENTS|MEMORY|GEMINI)\.md|` +
		`[^\n]*?/memory/[^\n]*?\.md)\b[^\n]*:[ \t\r]*$`)
	memoryWord = text.Pattern(`(?i)</[a-z_-]*(?:memor|claude|engram|mem0|mempalace|system[-_])`)
	claudeMd   = text.Pattern(`(?m)^# claudeMd[ \t\r]*$`)
	// Plain headings under which known tools put their memories.
	headings = []memoryRule{
		{text.Pattern(`(?mi)^#+ (?:\$CMEM|claude-mem)\b[^\n]*$`), "claude-mem"},
		{text.Pattern(`(?m)^#+ \[[^\]\n]+\] recent context, [^\n]*$`), "claude-mem"},
		{text.Pattern(`(?mi)^#+ (?:Engram|Memory from Previous Sessions)\b[^\n]*$`), "engram"},
		{text.Pattern(`(?mi)^#+ (?:mem0|MemPalace)\b[^\n]*memor[^\n]*$`), ForeignMemory},
	}
	// What ends a part without a closing tag.
	afterRules = text.Pattern(`(?m)^(?:[ \t]*IMPORTANT: this context may or may not be relevant[^\n]*$|# ` +
		`(?:currentDate|gitStatus|userEmail|important-instruction-reminders)\b|</)`)
)

// memoryParts finds the parts of a text that come from other tools' memories and rule files.
func memoryParts(text string) []Foreign {
	var out []Foreign
	if strings.Contains(text, "</") && memoryWord().MatchString(text) {
		for _, r := range memoryRules {
			out = append(out, tagged(text, r, strings.Index)...)
		}
	}
	if strings.HasPrefix(strings.TrimSpace(text), "<") {
		out = append(out, tagged(text, clientRule, strings.LastIndex)...)
	}
	if strings.Contains(text, "# claudeMd") {
		if m := claudeMd().FindStringIndex(text); m != nil {
			out = append(out, Foreign{From: m[0], To: m[1] + untilRulesEnd(text[m[1]:]), Label: ForeignRules})
		}
	}
	if strings.Contains(text, "Contents of ") {
		out = append(out, quotedFiles(text)...)
	}
	if strings.HasPrefix(text, "#") || strings.Contains(text, "\n#") {
		for _, r := range headings {
			if m := r.open().FindStringIndex(text); m != nil {
				out = append(out, Foreign{From: m[0], To: m[1] + untilNextHeading(text[m[1]:], text[m[0]:m[1]]), Label: r.label})
			}
		}
	}
	return mergeForeign(out)
}

// tagged finds <tag …>…</tag>, with closes to find the closing tag; an element that isn't closed doesn't count.
func tagged(text string, r memoryRule, closes func(s, tag string) int) []Foreign {
	var out []Foreign
	for at := 0; ; {
		m := r.open().FindStringSubmatchIndex(text[at:])
		if m == nil {
			return out
		}
		from, begin := at+m[0], at+m[1]
		closing := "</" + text[at+m[2]:at+m[3]] + ">"
		k := closes(text[begin:], closing)
		if k < 0 {
			at = begin
			continue
		}
		at = begin + k + len(closing)
		out = append(out, Foreign{From: from, To: at, Label: r.label})
	}
}

// quotedFiles finds the files that a client quotes under "Contents of …".
func quotedFiles(text string) []Foreign {
	var out []Foreign
	all := contentsOf().FindAllStringSubmatchIndex(text, -1)
	for i, m := range all {
		label := ForeignRules
		if path := text[m[2]:m[3]]; strings.Contains(path, "/memory/") || strings.HasSuffix(path, "MEMORY.md") {
			label = ForeignAuto
		}
		to := m[1] + untilRulesEnd(text[m[1]:])
		if i+1 < len(all) {
			to = min(to, all[i+1][0])
		}
		out = append(out, Foreign{From: m[0], To: to, Label: label})
	}
	return out
}

func untilRulesEnd(text string) int {
	m := afterRules().FindStringIndex(text)
	switch {
	case m == nil:
		return len(text)
	case strings.Contains(text[m[0]:m[1]], "IMPORTANT"):
		return m[1]
	}
	return m[0]
}

// untilNextHeading returns the length of text up to the next heading of the same level or above.
func untilNextHeading(text, heading string) int {
	level := len(heading) - len(strings.TrimLeft(heading, "#"))
	at := 0
	for _, line := range strings.SplitAfter(text, "\n") {
		n := len(line) - len(strings.TrimLeft(line, "#"))
		if at > 0 && n > 0 && n <= level && strings.HasPrefix(line[n:], " ") {
			break
		}
		at += len(line)
	}
	return at
}
