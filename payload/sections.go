package payload

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// Variant is a layout of a payload.
type Variant string

const (
	Coding  Variant = "coding"  // goal, decisions made and deferred, next, files
	Debug   Variant = "debug"   // surviving and eliminated hypotheses first
	Handoff Variant = "handoff" // for somebody else: what is settled, open, done, dangerous
)

// Variants lists all variants, the default first.
var Variants = []Variant{Coding, Debug, Handoff}

// A section is a heading and the kind of the items under it. Passages that tell where the session ended have one of
// their own.
type section struct {
	kind    Kind
	heading string
	ended   bool
}

// Under returns the kind of the section of a page that an item stands in, and whether that is where the session ended.
func (it *Item) Under() (kind Kind, ended bool) {
	switch {
	case it.Kind == Lead && (it.Rule == ToldNextRule || it.Rule == TaskRule):
		return Next, false
	case it.Kind == Lead && (it.Rule == TaskStatesRule || it.Rule == ReportStatesRule):
		return Status, false
	}
	return it.Kind, it.Ended()
}

// layouts lists the sections of each variant in order. Headings default to titles.
var layouts = map[Variant][]section{
	Coding: sections(nil, Goal, Decision, Deferred, Eliminated, Next, File, Flag, Finding, Hypothesis, Question, Status,
		Lead),
	Debug: sections(nil, Goal, Hypothesis, Eliminated, Finding, Next, File, Flag, Decision, Deferred, Question, Status,
		Lead),
	Handoff: sections(map[Kind]string{Goal: "Feature goal", Decision: "Decisions locked in", Flag: "Warnings",
		Eliminated: "Ruled out (do not revisit)"},
		Goal, Decision, Question, Status, Flag, Next, Deferred, Eliminated, Finding, Hypothesis, File, Lead),
}

var titles = map[Kind]string{
	Goal: "Current goal", Decision: "Decisions made", Deferred: "Decisions deferred (do not \"fix\" yet)",
	Eliminated: "Hypotheses eliminated (do not revisit)", Finding: "What was found", Hypothesis: "Surviving hypothesis",
	File: "Files in play", Flag: "Don't forget", Question: "Open questions", Status: "Status", Next: "Next action",
	Lead: "In their own words (as of then: may be done or changed since)",
}

// Headings of a goal that quotes what a session began with, or turned to, of which its person said more since: it may
// be reached by now, or given up.
const (
	beganWith = "Began with"
	turnedTo  = "Turned to"
)

func sections(own map[Kind]string, kinds ...Kind) (all []section) {
	for _, k := range kinds {
		all = append(all, section{kind: k, heading: cmp.Or(own[k], titles[k])})
		if k == Goal {
			all = append(all, section{Lead, "Where it ended", true})
		}
	}
	return all
}

// meanings maps beginnings of words in headings to kinds; the first match counts, since "Decisions deferred" holds no
// decisions.
var meanings = []struct {
	kind  Kind
	words []string
}{
	{Lead, []string{"own words ", "lead ", "leads ", "it ended "}},
	{Eliminated, []string{"eliminat", "ruled out", "revisit", "dead end", "rejected", "disproved", "didnt work",
		"doesnt work", "not it "}},
	{Deferred, []string{"defer", "postpone", "put off", "on hold", "parked ", "not now",
		"later"}},
	{Hypothesis, []string{"hypothes", "suspect", "theor", "best guess"}},
	{Next, []string{"next ", "todo", "to do ", "pick up ", "start here "}},
	{Question, []string{"question", "unresolved", "undecided", "open ", "needs an answer",
		"needs a decision"}},
	{Flag, []string{"forget", "warning", "flag", "caveat", "gotcha", "beware", "watch out", "remember", "drawn into"}},
	{File, []string{"file"}},
	{Status, []string{"status", "progress ", "state "}},
	{Finding, []string{"found ", "finding", "root cause"}},
	{Decision, []string{"decision", "decided", "locked in", "settled", "agreed"}},
	{Goal, []string{"goal", "objective", "aim ", "began with ", "turned to "}},
}

// KindOf returns the kind of items under a heading, as recall, people or agents may word it, or "".
func KindOf(heading string) Kind {
	key := " " + headingKey(heading) + " "
	for _, m := range meanings {
		if slices.ContainsFunc(m.words, func(w string) bool { return strings.Contains(key, " "+w) }) {
			return m.kind
		}
	}
	return ""
}

// headingKey returns a heading's words in lower case, separated by single spaces.
func headingKey(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(s), "'", ""), "’", "")
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ")
}

// IsHeading reports whether a line is one of recall's own headings.
func IsHeading(line string) bool {
	text, ok := strings.CutPrefix(line, "## ")
	is := func(s section) bool { return s.heading == text }
	all := func(v Variant) bool { return slices.ContainsFunc(layouts[v], is) }
	return ok && (text == beganWith || text == turnedTo || slices.ContainsFunc(Variants, all))
}
