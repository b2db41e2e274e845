package payload

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"recall/internal/escape"
	"recall/internal/text"
)

// The line of an item, as payload.md shows it after the bullet:
//
//	[pinned] text (not: lost; lost) (scope: condition) (said: quote) — because why
//	path — STATUS — text — why                          of kind File
//	“text” — user, turn 12, to “what it answers?”        if Quoted
//	“text” — user, turn 12, after “what was said before”
//	“question?” — assistant, turn 11; answered “Yes.”
//
// Only decisions have "because". Whatever an item holds is made one safe line, and what could be mistaken for the
// line's own grammar is escaped:
//
//	in a text            on the line
//	" —"                 a no-break space before the dash
//	"<!--"               "<\!--", so that it ends no marker
//	"(scope: x)" at end  "\(scope: x)", likewise (not: …), (said: …), (session 2, Apr 17) …
//	"#", "- ", "[x]" …   a backslash before it, at the beginning
//
// These are Markdown's own escapes, so a rendered page shows the text unchanged.
const (
	dash    = " — "
	because = "because "
	pin     = "[pinned] "
)

var (
	comment    = text.Pattern(`<(\\*)!--`)
	commentEsc = text.Pattern(`<\\(\\*)!--`)
	tail       = text.Pattern(`(\\*)\((scope: |not: |said: |session |from [^()\s,]+, [A-Z][a-z]{2} \d)[^()]*\)$`)
	tailEsc    = text.Pattern(`\\(\\*)\((scope: |not: |said: |session |from [^()\s,]+, [A-Z][a-z]{2} \d)([^()]*)\)$`)
	scopeTail  = text.Pattern(`^(.+) \(scope: ([^()]*)\)$`)
	saidTail   = text.Pattern(`^(.+) \(said: [^()]*\)$`)
	notTail    = text.Pattern(`^(.+) \(not: ([^()]*)\)$`)
	note       = text.Pattern(` \((?:session|from) [^()\s,]+, [A-Z][a-z]{2} \d{1,2}(, \d{4})?(; by the agent)?(; [a-z ]+, ` +
		`[A-Z][a-z]{2} \d{1,2}(, \d{4})?)?\)$`)
	lead       = text.Pattern("^(\\\\|#|>|```|~~~|[-*+•] |[-*+•]$|\\[(?i:pinned|x| )\\])")
	leadEsc    = text.Pattern("^\\\\(\\\\|#|>|```|~~~|[-*+•] |[-*+•]$|\\[(?i:pinned|x| )\\])")
	box        = text.Pattern(`(?s)^\[([ xX])\] +(.*)$`) // as in a task list
	fileStates = []string{FileDone, FileProgress, FileUntouched, FileOffLimits}
)

// What came of what was said, as the Since of its passage: a file that it names was edited later, or files were changed
// or a commit was made thereupon.
const (
	ChangedSince = "file edited since"
	RemovedSince = "file removed since"
	WorkedOn     = "worked on"
	TakenBack    = "commit taken back since" // the one that was made thereupon
	NotPushed    = "no push seen since"      // of commits
	HooksSkipped = "hooks skipped"           // likewise: git commit --no-verify
	FilesSince   = "files changed since"     // of a run of tests
	OnlyPlanned  = "said while planning"
)

// RequestRule is the rule of a goal that quotes what a person asked for, with its turn: they may have moved on since.
const RequestRule = "request"

// TaskRule is the rule of a task left open in the session's own list.
const TaskRule = "open-task"

// TaskInProgress is why such a task is next, if it was begun.
const TaskInProgress = "task in progress"

// Rules of what tells how far the work is, as of the session's end: by its own list of tasks, or by a list of its last
// message.
const (
	TaskStatesRule   = "ended-tasks"
	ReportStatesRule = "ended-states"
)

// Rules of passages that tell where a session ended: the assistant's last message, the subjects of its commits, how
// tests last ran, what it broke off at, what it opened at a forge (of these three Why says what it is), and what its
// person said last.
const (
	ReportRule = "ended-report"
	CommitRule = "ended-commit"
	CutOffRule = "ended-cut-off"
	TestRule   = "ended-tests"
	OpenedRule = "ended-opened"
	AskedRule  = "ended-asked"
)

// ReportedRule is the rule of what the last message of a session long ago reports.
const ReportedRule = "reported"

// UnansweredRule is the rule of a next action that quotes what a person typed last, which nobody answered or which was
// begun and cut off.
const UnansweredRule = "unanswered"

// ToldNextRule is the rule of a passage that says at the session's end what comes next.
const ToldNextRule = "told-next"

// AnswerRule is the rule of a decision that answers a question of the assistant's.
const AnswerRule = "answer"

// RefusalRule is the rule of what a person said when they refused a call; its second evidence is what was refused.
const RefusalRule = "refusal"

// RemovedRule is the rule of what a person said whereupon the assistant removed the files that it is about.
const RemovedRule = "said-removed"

// PointRule is the rule of a point of a plan that the assistant wrote and a person approved.
const PointRule = "plan-point"

// Quoted reports whether an item is somebody's own words rather than a conclusion from them.
func (it *Item) Quoted() bool {
	return it.Maker != ByHuman && (it.Kind == Lead || it.Kind == Goal && it.Rule == RequestRule ||
		it.Kind == Next && it.Rule == UnansweredRule)
}

// ApprovedPlan reports whether an item's words come from a plan that the assistant wrote and a person approved.
func (it *Item) ApprovedPlan() bool {
	return it.By == ByBoth && (it.Rule == "plan" || it.Rule == PointRule || it.Kind == Goal && it.Rule == RequestRule)
}

// Ended reports whether an item tells where its session ended.
func (it *Item) Ended() bool {
	return it.Kind == Lead && it.Maker != ByHuman && strings.HasPrefix(it.Rule, "ended-")
}

// formatItem returns the item's line without bullet and note, or "" if the item says nothing.
func formatItem(it *Item) string {
	var body string
	switch {
	case it.Kind == File:
		body = formatFile(it)
	case it.Quoted():
		body = formatLead(it)
	default:
		body = formatText(it)
	}
	if body == "" {
		return ""
	}
	if it.Since != "" {
		body += "; " + it.Since
	}
	if lead().MatchString(body) {
		body = `\` + body
	}
	if it.Pinned {
		body = pin + body
	}
	return body
}

func formatText(it *Item) string {
	text, why := oneLine(it.Text), formatWhy(it.Why)
	if text == "" {
		text, why = why, ""
	}
	if text == "" {
		return ""
	}
	after := ""
	if lost := formatLost(it); lost != "" {
		after += " (not: " + lost + ")"
	}
	if scope := inParens(it.Scope); scope != "" && !contains(it.Text, scope) {
		after += " (scope: " + scope + ")"
	}
	if said := inParens(formatSource(it)); said != "" {
		after += " (said: " + said + ")"
	}
	if why != "" {
		after += dash
		if it.Kind == Decision && it.Rule != AnswerRule { // a note to an answer may be a reason or a condition
			after += because
		}
		after += segment(why)
	}
	if after != "" {
		text = withoutStop(text)
	}
	return segment(text) + after
}

func formatFile(it *Item) string {
	path, text, why := oneLine(it.Path), oneLine(it.Text), formatWhy(it.Why)
	status := strings.ToUpper(oneLine(it.Status))
	if !slices.Contains(fileStates, status) {
		status = ""
	}
	if path == "" && len(it.About) > 0 {
		path = oneLine(it.About[0])
	}
	if path == "" {
		path, text = text, ""
	}
	if text == "" {
		text, why = why, ""
	}
	if why != "" {
		text = withoutStop(text)
	}
	parts := slices.DeleteFunc([]string{segment(path), status, segment(text), segment(why)},
		func(s string) bool { return s == "" })
	return strings.Join(parts, dash)
}

// formatLead quotes a passage, with its speaker and turn.
func formatLead(it *Item) string {
	if (it.Said() || it.Handed && len(it.Evidence) == 0) && oneLine(it.Text) != "" {
		line := "“" + segment(it.Text) + "”" + dash + "said by the agent"
		if e := it.First(); e.Quote != "" {
			line += "; turn " + strconv.Itoa(e.N) + ": “" + segment(text.Clip(e.Quote, MaxOtherPassage)) + "”"
		}
		return line
	}
	if len(it.Evidence) == 0 || oneLine(it.Text) == "" {
		return formatText(it)
	}
	speaker := speakers[it.By]
	switch {
	case it.Rule == CommitRule:
		speaker = "commit" + onBranch(it)
	case it.Rule == CutOffRule, it.Rule == TestRule, it.Rule == OpenedRule:
		speaker = segment(it.Why)
	case it.Rule == TaskRule:
		speaker = cmp.Or(segment(it.Why), "task left open")
	case it.Rule == TaskStatesRule:
		speaker = "to-do list"
	case it.ApprovedPlan():
		speaker = "the plan that was approved"
	}
	said := it.Text
	if it.Rule == ToldNextRule { // its heading says so
		said = nextLabel().ReplaceAllString(said, "")
	}
	line := "“" + segment(said) + "”" + dash + speaker + ", turn " + strconv.Itoa(it.Evidence[0].N)
	switch n := len(it.Evidence); {
	case n < 2:
		return line
	case it.Rule == CommitRule:
		return "“" + segment(it.Text) + "”" + dash + "commits, the last" + onBranch(it) + " in turn " +
			strconv.Itoa(it.Evidence[n-1].N)
	}
	between, further := "; answered “", " after “" // which may well be a word of the question
	if it.Evidence[1].N <= it.Evidence[0].N {
		if contains(it.Text, oneLine(it.Evidence[1].Quote)) {
			return line
		}
		switch {
		case it.Rule == RefusalRule:
			between = ", refusing “"
		case it.Evidence[1].N == it.Evidence[0].N || asked().MatchString(it.Evidence[1].Quote):
			between = ", to “"
		default: // which it need not be about
			between, further = ", after “", " and “"
		}
	}
	line += between + segment(text.Clip(strings.ReplaceAll(it.Evidence[1].Quote, "**", ""), MaxOtherPassage)) + "”"
	if len(it.Evidence) > 2 { // the options that it chose from
		line += further + segment(text.Clip(it.Evidence[2].Quote, MaxOtherPassage)) + "”"
	}
	return line
}

// onBranch says which branch the last commit is on, if that isn't the session's.
func onBranch(it *Item) string {
	if it.Why == "" {
		return ""
	}
	return " on " + segment(it.Why)
}

// asked matches the end of a question.
var asked = text.Pattern(`[?？؟]["”*_)]*(?:\s|$)|？`)

// nextLabel matches the beginning of what says no more than that something comes next.
var nextLabel = text.Pattern(`(?i)^\W*(?:next(?: up| steps?| actions?)?|als nächstes|nächster schritt)\W*:\s+|^下一步[:：]`)

// MaxOtherPassage is the maximum length, in characters, of the other passage shown: what the lead answers, or its
// answer.
const MaxOtherPassage = 160

var speakers = map[By]string{ByUser: "user", ByAssistant: "assistant", ByBoth: "both", ByProgram: "a program"}

// formatLost returns the alternatives that neither text, without the question that it answers, nor reason mention.
func formatLost(it *Item) string {
	var lost []string
	says := it.Text
	if it.Rule == AnswerRule {
		says = says[strings.LastIndex(says, " → ")+1:]
	}
	for _, alt := range it.Alternatives {
		alt = strings.ReplaceAll(inParens(alt), ";", ",")
		if alt != "" && !contains(says, alt) && !contains(it.Why, alt) {
			lost = append(lost, alt)
		}
	}
	return strings.Join(lost, "; ")
}

// formatSource returns the person's words of which an agent's claim leaves some out. Goals, next steps and what sums up
// are the agent's to word.
func formatSource(it *Item) string {
	freely := it.Kind == Goal || it.Kind == Next || it.Kind == Status
	if it.Rule != NoteRule || it.By != ByUser || freely {
		return ""
	}
	quote := oneLine(it.First().Quote)
	if len(text.Words(quote).Without(text.Words(it.Text+" "+it.Why))) == 0 {
		return ""
	}
	return text.Clip(quote, MaxOtherPassage)
}

// formatWhy returns the reason as part of a sentence: without "because", an initial function word in lower case.
func formatWhy(why string) string {
	why = oneLine(why)
	for len(why) >= len(because) && strings.EqualFold(why[:len(because)], because) {
		why = strings.TrimSpace(why[len(because):])
	}
	first, _, _ := strings.Cut(why, " ")
	if low := strings.ToLower(first); first != "I" && text.Stop(low) {
		why = low + why[len(first):]
	}
	return why
}

// withoutStop removes the full stop from a text that continues.
func withoutStop(s string) string {
	for strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "..") && len(s) > 1 {
		s = strings.TrimRight(s[:len(s)-1], " ")
	}
	return s
}

// ParseLine parses a line that somebody wrote for an item of a kind, without its bullet.
func ParseLine(kind Kind, line string) Item { return parseItem(kind, visible(line)) }

// parseItem is the inverse of formatItem; the line has no bullet.
func parseItem(kind Kind, body string) Item {
	it := Item{Kind: kind, State: Stands}
	if inTail(body) {
		body = note().ReplaceAllString(body, "")
	}
	body = strings.TrimSpace(body)
	if len(body) >= len(pin) && strings.EqualFold(body[:len(pin)], pin) {
		it.Pinned, body = true, strings.TrimSpace(body[len(pin):])
	}
	if m := box().FindStringSubmatch(body); m != nil {
		if m[1] != " " {
			it.State = Done
		}
		body = m[2]
	}
	if m := leadEsc().FindStringIndex(body); m != nil {
		body = body[1:]
	}
	quotable := kind == Lead || kind == Goal || kind == Next || kind == Status
	switch {
	case kind == File:
		parseFile(&it, body)
	case quotable && strings.HasPrefix(body, "“") && strings.Contains(body, "”"+dash):
		text, _, _ := strings.Cut(body, dash)
		it.Text = unescape(strings.TrimSuffix(text[len("“"):], "”"))
	default:
		parseText(&it, body)
	}
	return it
}

func parseText(it *Item, body string) {
	text, why, _ := strings.Cut(body, dash)
	if len(why) >= len(because) && strings.EqualFold(why[:len(because)], because) {
		why = why[len(because):]
	}
	if inTail(text) {
		if m := saidTail().FindStringSubmatch(text); m != nil {
			text = m[1] // shown, and not for editing
		}
		if m := scopeTail().FindStringSubmatch(text); m != nil {
			text, it.Scope = m[1], unescape(m[2])
		}
		if m := notTail().FindStringSubmatch(text); m != nil {
			text = m[1]
			for _, alt := range strings.Split(m[2], ";") {
				if alt = unescape(strings.TrimSpace(alt)); alt != "" {
					it.Alternatives = append(it.Alternatives, alt)
				}
			}
		}
	}
	it.Text, it.Why = unescape(text), unescape(why)
}

func parseFile(it *Item, body string) {
	path, rest, _ := strings.Cut(body, dash)
	first, after, _ := strings.Cut(rest, dash)
	if status := strings.ToUpper(strings.TrimSpace(first)); slices.Contains(fileStates, status) {
		it.Status, rest = status, after
	}
	text, why, _ := strings.Cut(rest, dash)
	it.Path, it.Text, it.Why = unescape(path), unescape(text), unescape(why)
}

// segment makes s one part of a line: a single line with nothing that reads as the line's grammar.
func segment(s string) string {
	s = strings.ReplaceAll(oneLine(s), " —", "\u00a0—")
	if strings.Contains(s, "!--") {
		s = comment().ReplaceAllString(s, `<\$1!--`)
	}
	if inTail(s) {
		s = tail().ReplaceAllStringFunc(s, func(m string) string { return `\` + m })
	}
	return s
}

// inTail reports whether tail, tailEsc, scopeTail, notTail and note may match in s.
func inTail(s string) bool { return strings.HasSuffix(s, ")") }

func unescape(s string) string {
	s = strings.TrimSpace(s)
	if inTail(s) {
		s = tailEsc().ReplaceAllString(s, "$1($2$3)")
	}
	if strings.Contains(s, "!--") {
		s = commentEsc().ReplaceAllString(s, "<$1!--")
	}
	return oneLine(s)
}

// inParens makes s safe inside parentheses.
func inParens(s string) string {
	return segment(squared.Replace(s))
}

var squared = strings.NewReplacer("(", "[", ")", "]")

// oneLine makes any text one line of visible characters, with single spaces between words.
func oneLine(s string) string { return escape.Line(s, escape.Markdown) }

func contains(s, part string) bool {
	return strings.Contains(strings.ToLower(oneLine(s)), strings.ToLower(part))
}
