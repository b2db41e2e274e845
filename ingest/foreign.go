package ingest

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"recall/internal/text"
)

// Somebody else's words in a prompt: what the person quotes or pastes, and the template that their words fill.

// quotedParts finds what a person pasted: lines behind "> ", fenced blocks, what a terminal or a program printed.
func quotedParts(text string) (parts []Foreign) {
	for at := 0; ; {
		from, to := fenced(text[at:])
		parts = append(parts, printedParts(text[at:at+from], at)...)
		if from == to {
			return parts
		}
		parts = append(parts, Foreign{From: at + from, To: at + to, Label: ForeignPasted})
		at += to
	}
}

// fenced finds the first fenced block. One with text after its opening fence, as in a chat, begins and ends anywhere in
// a line, and what follows it there is the person's; another that isn't closed reaches to the end.
func fenced(text string) (from, to int) {
	at := 0
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		for _, fence := range []string{"```", "~~~", `"""`} {
			start, body := at, at+len(line)
			if !fenceOnly().MatchString(bare) || !strings.HasPrefix(bare, fence) {
				k := strings.LastIndex(line, fence)
				if fence != "```" || strings.Count(line, fence)%2 == 0 {
					continue // none, or code within the line
				}
				end := strings.Index(text[at+len(line):], fence)
				if end < 0 {
					if strings.HasPrefix(bare, fence) {
						return at, len(text)
					}
					continue
				}
				return at + k, at + len(line) + end + len(fence)
			}
			for next := range strings.Lines(text[body:]) {
				k := strings.Index(next, fence)
				switch s := strings.TrimSpace(next); {
				case s == fence:
					return start, body + len(next)
				case k >= 0 && strings.Count(next, fence)%2 == 1 && !fenceOnly().MatchString(s):
					return start, body + k + len(fence)
				}
				body += len(next)
			}
			return start, len(text)
		}
		at += len(line)
	}
	return len(text), len(text)
}

// printedParts finds what was pasted without a fence in a text that begins at an offset.
func printedParts(text string, at int) (parts []Foreign) {
	lines := strings.SplitAfter(text, "\n")
	for i := 0; i < len(lines); {
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
	numbered := strings.ContainsAny(first, "0123456789")
	until := func(ends func(line string) bool) int {
		n := 1
		for n < len(lines) && !ends(lines[n]) {
			n++
		}
		return n
	}
	switch {
	case quoting().MatchString(first):
		return 1
	case len(lines) > 1 && screenBegins().MatchString(lines[0]) && screen().MatchString(lines[1]):
		return until(func(line string) bool {
			return !blank(line) && !strings.HasPrefix(line, "  ") && !screen().MatchString(line)
		})
	case numbered && attributed().MatchString(first):
		return until(blank)
	case strings.Contains(first, ":") && roleSaid().MatchString(first):
		return conversation(lines)
	case numbered && headed().MatchString(first):
		heads := func(line string) bool { return headed().MatchString(strings.TrimSpace(line)) }
		n := until(blank)
		if n > 2 && !heads(lines[1]) && slices.ContainsFunc(lines[2:n], heads) {
			return n - speaksLast(lines[1:n])
		}
	case len(lines) > 1 && commitHead().MatchString(first) && strings.HasPrefix(lines[1], "Author: "):
		said := func(line string) bool { return !blank(line) && !inCommit().MatchString(line) }
		return until(said)
	case diffBegins().MatchString(first):
		return until(func(line string) bool { return !inDiff().MatchString(line) })
	// A mail begins: with two lines of its head, or what a program writes above one that is passed on.
	case forwarded().MatchString(lines[0]),
		len(lines) > 1 && mailHead().MatchString(lines[0]) && mailHead().MatchString(lines[1]):
		return len(lines) - afterMail(lines)
	case shellPrompt().MatchString(first):
		n := until(blank)
		if last := speaksLast(lines[1:n]); last > 0 {
			return n - last
		}
		return n + outputBelow(lines[n:])
	case numbered && chatted().MatchString(first):
		n := until(blank)
		talks := func(line string) bool { return chatted().MatchString(strings.TrimSpace(line)) }
		if slices.ContainsFunc(lines[1:n], talks) {
			return n - speaksLast(lines[1:n])
		}
	case printed().MatchString(first):
		n := until(func(line string) bool {
			return !printed().MatchString(strings.TrimSpace(line)) && !strings.HasPrefix(line, "  ") &&
				!strings.HasPrefix(line, "\t")
		})
		if n > 1 { // one line can be typed
			return n
		}
	}
	return outputLines(lines)
}

// conversation counts the lines of a copied talk with a model, up to the end of the last paragraph that says whose it
// is; one alone can be typed.
func conversation(lines []string) (n int) {
	for i, line := range lines[1:] {
		if roleSaid().MatchString(strings.TrimSpace(line)) || n == i+1 && !blank(line) {
			n = i + 2
		}
	}
	return n
}

func blank(line string) bool { return strings.TrimSpace(line) == "" }

// outputBelow counts the lines of further paragraphs of a terminal's: of two lines or more, the first of which is no
// list's and has few of the words that hold a sentence together, but names and numbers.
func outputBelow(lines []string) (n int) {
	for from := 0; ; {
		for from < len(lines) && blank(lines[from]) {
			from++
		}
		to := from
		for to < len(lines) && !blank(lines[to]) {
			to++
		}
		if to-from < 2 || listed().MatchString(lines[from]) {
			return n
		}
		if one := wordingOf(lines[from]); one.typed() || one.words < 2 || 3*one.odd < one.words {
			return n
		}
		n, from = to, to
	}
}

// outputLines counts the lines at the beginning, of a paragraph without a list, that somebody hardly typed: three or
// more with few of the words that hold a sentence together, but many names, numbers and paths. Short lines are answers.
func outputLines(lines []string) (n int) {
	const few, short, most = 3, 12, 100
	var all wording
	for i, line := range lines[:min(most, len(lines))] {
		bare := strings.TrimSpace(line)
		if bare == "" || strings.ContainsAny(bare[:1], "-*•#|<>") {
			break
		}
		one := wordingOf(bare)
		all = wording{all.size + one.size, all.words + one.words, all.small + one.small, all.odd + one.odd}
		switch printed := !all.typed() && 3*all.odd >= all.words && all.size >= short*(i+1); {
		case one.typed() && i == 0:
			return 0
		case !one.typed() && printed && i+1 >= few:
			n = i + 1
		}
	}
	return n
}

// wording counts a text's words: those that hold sentences together, and odd ones, which aren't of letters alone.
type wording struct{ size, words, small, odd int }

func wordingOf(line string) wording {
	w := wording{size: len(line)}
	for word := range strings.FieldsSeq(line) {
		bare := strings.Trim(word, `.,:;!?()"'`)
		w.words++
		switch {
		case text.Stop(strings.ToLower(bare)), strings.ContainsFunc(bare, text.Unspaced): // a sentence in one word
			w.small++
		case strings.ContainsFunc(bare, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }):
			w.odd++
		}
	}
	return w
}

// typed reports whether a fifth of the words hold sentences together.
func (w wording) typed() bool { return 5*w.small >= w.words }

// afterMail counts the lines that the person added behind a mail: those below its signature, else a last paragraph that
// asks or in which somebody speaks for themselves.
func afterMail(lines []string) int {
	last := 0 // where the last paragraph begins
	for i, line := range lines {
		begins := i > 0 && strings.TrimSpace(lines[i-1]) == ""
		if s := strings.TrimSpace(line); begins && s != "" {
			last = i
		} else if signs().MatchString(s) {
			for n, below := range lines[i:] {
				if strings.TrimSpace(below) == "" {
					return len(lines) - i - n
				}
			}
			return 0
		}
	}
	asks := strings.HasSuffix(strings.TrimSpace(lines[len(lines)-1]), "?")
	if last > 0 && (asks || speaks().MatchString(lines[last])) {
		return len(lines) - last
	}
	return 0
}

// speaksLast counts the lines at the end of a terminal's that the person added: from one in which somebody speaks for
// themselves on, if what follows isn't output either.
func speaksLast(lines []string) int {
	for i, line := range lines {
		if speaks().MatchString(line) && !slices.ContainsFunc(lines[i:], func(s string) bool {
			return !prose().MatchString(s) || printed().MatchString(s) || shellPrompt().MatchString(s)
		}) {
			return len(lines) - i
		}
	}
	return 0
}

var (
	// screen matches a line copied from a terminal that a program fills: padded with blanks, or with its mark. Who
	// types may leave blanks at the end of a line as well, but of one that isn't indented.
	screen       = text.Pattern(`^[⏺⎿❯✻] | {4,}\s*$`)
	screenBegins = text.Pattern(`^[⏺⎿❯✻] |^ {2,}\S.* {4,}\s*$`)
	// fenceOnly matches a line of a fence and the language of what it holds.
	fenceOnly = text.Pattern("^(?:```|~~~|\"\"\") ?[\\w.+-]*$")
	speaks    = text.Pattern(`^(?:(?i:so|but|and|ok(?:ay)?|now|also)[, ]+)?(?:I(?:['’](?:m|d|ve|ll))? [a-z]+ |` +
		`(?i:(?:can|could|would|should) (?:you|we) |let['’]s |we (?:need|should|must|want|can|could|have to) |` +
		`(?:why|how) (?:is|are|do|does|did|can|should) |what (?:is|are|do|does|should) |ich |wir |warum |kannst du ))|` +
		`^[\p{Han}\p{Hiragana}\p{Katakana}].*[。？]\s*$`)
	mailHead = text.Pattern(`^\*{0,2}(?i:from|to|cc|sent|date|subject|reply-to|von|an|gesendet|datum|betreff|de|à|objet|` +
		`para|asunto):`)
	signs = text.Pattern(`(?i)^(?:--|(?:\pL+ ){0,2}(?:regards|wishes|cheers|sincerely|grüße?n?|gruß|mfg|lg|vg)\b` +
		`[,.! ]*[\pL .]{0,30})$`)
	forwarded = text.Pattern(`(?i)^\s*(?:-{3,} ?(?:original message|forwarded message|urspr\S+ nachricht)|` +
		`begin forwarded message:)`)
	listed = text.Pattern(`^\s*(?:[-*•#|<>]|\d+[.)])`)
	// chatted matches a line of a chat, with who wrote it when.
	chatted = text.Pattern(`^(?:\[?(?:[\d./-]{6,10},? )?\d\d?:\d\d(?::\d\d)?(?: ?[AaPp][Mm])?\]?(?: -)? ` + chatName +
		`|` + chatName + `,? [\[(]?\d\d?:\d\d(?: ?[AaPp][Mm])?[\])]?): ?\S`)
	// headed matches the line above a message in other chats, attributed that above a comment or an answered mail.
	headed = text.Pattern(`^\p{Lu}` + chatName + `[ —–-]+(?:(?i:today|yesterday|heute|gestern) (?:at |um )?)?` +
		`\d\d?:\d\d(?: ?[AaPp][Mm])?$`)
	attributed = text.Pattern(`^(?:@?[\w-]+(?: \p{Lu}[\w-]+)? (?:commented|added a comment|wrote|replied|reviewed)\b` +
		`.{0,30}(?: ago| \d{4}):?|` +
		`(?:On|Am|Le) .*\d.* (?:wrote|schrieb\b.*|a écrit) ?:)$`)
	roleSaid = text.Pattern(`^(?:#+ |\*\*)?(?i:user|you said|human|assistant|chatgpt|claude|gemini|copilot)` +
		`(?: said)?(?:\*\*)?:`)
	quoting     = text.Pattern(`^>(?:[>\s\pL]|$)`)
	commitHead  = text.Pattern(`^commit [0-9a-f]{7,40}\b`)
	inCommit    = text.Pattern(`^(?:    |commit [0-9a-f]{7}|Author: |Merge: |(?:Author|Commit)?Date: )`)
	diffBegins  = text.Pattern(`^(?:diff --git |@@ -\d)`)
	inDiff      = text.Pattern(`^(?:[-+ \t@\\]|diff |index |(?:new|deleted) file |rename |similarity )`)
	prose       = text.Pattern(`^(?:[-*•] )?[\pL"“'][^=|]* [^=|]*\S\s*$|^[\p{Han}\p{Hiragana}\p{Katakana}]`)
	shellPrompt = text.Pattern(`^(?:(?:\([\w.-]+\) ?)?[\w.-]+@[\w.-]+\S*(?: [^\s$#%]+)? ?[$#%]|[$❯➜]|PS [A-Z]:\\[^>]*>|` +
		`[A-Z]:\\[^>]*>) ?[A-Za-z./~]\S*(?: |$)`)
	printed = text.Pattern(`^(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|at \S+ ?\(|File "[^"]+", line \d|` +
		`Traceback |(?i:error|warn(?:ing)?|info|debug|fatal|panic)(?:\[\w+\])?:? |` +
		`\[(?i:error|warn(?:ing)?|info|debug)\]|npm ERR!|goroutine \d+ \[|` +
		`--- (?:FAIL|PASS)|=== RUN|(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception):? |Caused by: |` +
		`Exception in thread |thread '|(?:FAIL|PASS|ok)\t|\S+\.[a-z]+:\d+(?::\d+)?:? |diff --git |@@ -\d|` +
		`(?:\+\+\+|---) \S+/)`)
)

const chatName = `(?:\pL[\pL.'’-]* ?){1,4}`

// filledIn matches the template of a custom prompt that says which part of it the person wrote.
var filledIn = text.Pattern("(?s)\\A.*?\n?(?:## User Input\\s*\n+```\\w*\n(.*?)\n?```\\s*\n+You \\*\\*MUST\\*\\* " +
	"consider|you \\*\\*MUST\\*\\* consider [^\n]*\n+User input:\\s*\n+(.*?)\n\n)")

// fillsIn keeps of an expanded template what the person wrote; where that is nothing, all is the template's.
func (t *Turn) fillsIn() (empty bool) {
	if !strings.Contains(t.Text, "**MUST**") { // nearly all texts, at no cost
		return false
	}
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

type memoryRule struct {
	open  func() *regexp.Regexp
	label string
}

func tagRule(tag, label string) memoryRule {
	return memoryRule{text.Pattern(`(?mi)^[ \t>]*<(` + tag + `)(?:\s[^>\n]*)?>`), label}
}

// memoryRules find the elements in which tools pass memories and instructions to a model.
var memoryRules = []memoryRule{
	tagRule(`(?:claude-mem|engram|mem0|mempalace|supermemory|basic-memory)[\w-]*|memory|memories|memory[-_][a-z]+|`+
		`(?:relevant|user|project|session|recalled|retrieved|long_term|long-term)[-_]memor(?:y|ies)`, ForeignMemory),
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
	headings = text.Pattern(`(?mi)^#+ (?:(?:\$CMEM|claude-mem|Engram|Memory from Previous Sessions)\b[^\n]*|` +
		`\[[^\]\n]+\] recent context, [^\n]*|(?:mem0|MemPalace)\b[^\n]*memor[^\n]*)$`)
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
		for _, m := range headings().FindAllStringIndex(text, -1) {
			to := m[1] + untilNextHeading(text[m[1]:], text[m[0]:m[1]])
			out = append(out, Foreign{From: m[0], To: to, Label: ForeignMemory})
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
