package payload

import (
	"cmp"
	"strings"
	"sync"
	"unicode"
)

// Variant is a way to lay out one payload.
type Variant string

const (
	Coding  Variant = "coding"  // goal, what is decided, where things stand, next
	Debug   Variant = "debug"   // what was found, surviving and eliminated hypotheses lead
	Handoff Variant = "handoff" // for somebody else: what is locked in, open, done, dangerous
)

// Variants lists all variants, the default first.
var Variants = []Variant{Coding, Debug, Handoff}

// A section is a heading and the kind of the items under it.
type section struct {
	kind    Kind
	heading string
}

// layouts are the sections of each variant, in order, under the headings of titles where it has none of its own.
var layouts = map[Variant][]section{
	Coding: sections(nil, Goal, Decision, Deferred, Eliminated, Finding, Hypothesis, File, Flag, Question, Status, Next,
		Lead),
	Debug: sections(nil, Finding, Hypothesis, Eliminated, Goal, Decision, Flag, File, Question, Deferred, Status, Next,
		Lead),
	Handoff: sections(map[Kind]string{Goal: "Feature goal", Decision: "Decisions locked in", Flag: "Warnings",
		Eliminated: "Ruled out (do not revisit)"},
		Goal, Decision, Question, Status, Flag, Deferred, Eliminated, Finding, Hypothesis, File, Next, Lead),
}

var titles = map[Kind]string{
	Goal: "Current goal", Decision: "Decisions made", Deferred: "Decisions deferred",
	Eliminated: "Hypotheses eliminated (do not revisit)", Finding: "What was found", Hypothesis: "Surviving hypothesis",
	File: "Files in play", Flag: "Don't forget", Question: "Open questions", Status: "Status", Next: "Next action",
	Lead: "In their own words",
}

func sections(own map[Kind]string, kinds ...Kind) (all []section) {
	for _, k := range kinds {
		all = append(all, section{k, cmp.Or(own[k], titles[k])})
	}
	return all
}

// headings knows the kind of every heading that recall writes, and of what
// people are likely to write instead.
var headings = sync.OnceValue(func() map[string]Kind {
	m := map[string]Kind{
		"goals": Goal, "the goal": Goal,
		"architecture decisions": Decision, "decided": Decision,
		"do not revisit": Eliminated, "dead ends": Eliminated, "eliminated hypotheses": Eliminated,
		"found": Finding, "root cause": Finding, "root causes": Finding,
		"surviving hypotheses": Hypothesis, "hypotheses": Hypothesis,
		"next actions": Next, "next steps": Next, "next step": Next, "todo": Next, "next concrete action": Next,
		"do not forget": Flag, "warning": Flag,
		"postponed": Deferred, "open question": Question, "file": File, "state": Status,
	}
	for _, k := range Kinds {
		m[string(k)] = k
		m[string(k)+"s"] = k
	}
	for _, layout := range layouts {
		for _, s := range layout {
			name := headingKey(s.heading)
			m[name] = s.kind
			m[strings.TrimSuffix(name, " do not revisit")] = s.kind
		}
	}
	return m
})

// headingKey returns a heading's words, lower-case, a space between each.
func headingKey(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(s), "'", ""), "’", "")
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ")
}

// IsHeading reports whether a line is a heading as recall writes it.
func IsHeading(line string) bool {
	text, ok := strings.CutPrefix(line, "## ")
	if !ok {
		return false
	}
	for _, layout := range layouts {
		for _, s := range layout {
			if s.heading == text {
				return true
			}
		}
	}
	return false
}
