package answer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"recall/internal/text"
	"recall/payload"
)

// Sentence returns an item as one sentence that shows its kind.
func (v Voice) Sentence(it payload.Item) string {
	text := v.Line(it.Text)
	switch it.Kind {
	case payload.Eliminated:
		if payload.SaysNo(text) {
			return text
		}
		return "Ruled out: " + payload.RuledOutThing(text)
	case payload.File:
		path := v.Line(it.Path)
		if path == "" || text == "" {
			return cmp.Or(path, text)
		}
		return path + ": " + text
	case payload.Lead:
		return "“" + text + "”"
	}
	if word := kindPrefix[it.Kind]; word != "" {
		return word + ": " + text
	}
	return text
}

// kindPrefix introduces sentences that wouldn't show their kind otherwise.
var kindPrefix = map[payload.Kind]string{payload.Goal: "Goal", payload.Next: "Next", payload.Question: "Open question",
	payload.Finding: "Found", payload.Hypothesis: "Hypothesis"}

// Kinds names kinds as the heading of a list: Decisions, what was ruled out.
func Kinds(kinds []payload.Kind) string {
	if slices.Contains(kinds, payload.Decision) && slices.Contains(kinds, payload.Status) {
		return "What was asked for, decided and done" // of a time
	}
	var names []string
	for _, k := range kinds {
		names = append(names, kindPhrase[k])
	}
	return upperFirst(strings.Join(names, ", "))
}

var kindPhrase = map[payload.Kind]string{
	payload.Goal: "goals", payload.Decision: "decisions", payload.Deferred: "what was deferred",
	payload.Eliminated: "what was ruled out", payload.Finding: "what was found", payload.Hypothesis: "hypotheses",
	payload.Next: "next steps", payload.File: "files", payload.Flag: "warnings", payload.Question: "open questions",
	payload.Status: "how things stand",
	payload.Lead:   "nothing of that kind is on record; what was said, choices before the rest",
}

// Aside words an item that was deferred or ruled out in a few words; "" for others, and if there is more to say
// about it.
func (v Voice) Aside(r *Result) string {
	if r.Item == nil || !r.Item.Current() || len(r.History)+len(r.Conflict) > 0 || r.Doubted() != nil {
		return ""
	}
	it := *r.Item
	text, why := strings.TrimRight(v.Line(it.Text), "."), strings.TrimRight(v.Line(it.Why), ".")
	switch {
	case it.Kind == payload.Deferred && strings.Contains(strings.ToLower(text), "deferred"):
		return fmt.Sprintf("%s (%s)", text, Day(it.At))
	case it.Kind == payload.Deferred:
		return fmt.Sprintf("%s: deferred (%s)", text, Day(it.At))
	case it.Kind == payload.Eliminated && payload.SaysNo(text):
		if it.Why != "" {
			text += ": " + why
		}
		return fmt.Sprintf("%s (ruled out %s)", text, Day(it.At))
	case it.Kind == payload.Eliminated:
		if it.Why == "" {
			why = Day(it.At)
		}
		return fmt.Sprintf("%s: eliminated (%s)", payload.RuledOutThing(text), why)
	}
	return ""
}

// Tried answers, in one sentence, a question whether something was tried; "" if that wasn't asked, or isn't what was
// found.
func (v Voice) Tried(question string, r *Result) string {
	if r.Item == nil || r.Item.Kind != payload.Eliminated || !r.Item.Current() || len(r.Conflict) > 0 {
		return ""
	}
	it := *r.Item
	thing := payload.RuledOutThing(strings.TrimRight(v.Line(it.Text), "."))
	if !triedForm().MatchString(question) || len(strings.Fields(thing)) > thingWords || sentenceForm().MatchString(thing) {
		return "" // it isn't known whether that was tried: show its own words
	}
	text := fmt.Sprintf("Yes: %s was tried and ruled out on %s.", upperFirst(thing), Day(it.At))
	switch {
	case consideredForm().MatchString(question):
		text = fmt.Sprintf("Yes: %s was considered and ruled out on %s.", upperFirst(thing), Day(it.At))
	case refused(*r.Item):
		text = fmt.Sprintf("%s was ruled out on %s; whether it was tried isn't recorded.", upperFirst(thing), Day(it.At))
	}
	if it.Why != "" {
		text += " " + upperFirst(strings.TrimRight(v.Line(it.Why), ".")) + "."
	}
	return text
}

// thingWords is how many words the name of a thing may have to be the subject of a sentence.
const thingWords = 6

var (
	// triedForm matches questions whether something was tried or considered, consideredForm
	// those whether it was considered: anything ruled out answers those, tried or not.
	triedForm = text.Pattern(`(?i)\b(did|have|had|haven't|didn't)\s+(we|i|you|they|anyone)\b.*` +
		`\b(try|tried|test|tested|consider|considered|use|used|rule|look|think|evaluate|evaluated|discuss|discussed)` +
		`|\bever (try|tried|use|used)\b`)
	consideredForm = text.Pattern(
		`(?i)\b(?:consider(?:ed)?|look(?:ed)? (?:at|into)|think (?:of|about)|thought (?:of|about)|` +
			`discuss(?:ed)?|evaluated?|weigh(?:ed)?)\b`)
	// sentenceForm matches text with a verb of its own.
	sentenceForm = text.Pattern(
		`(?i)\w+n['’]t\b|\b(?:is|are|was|were|has|have|does|do|did|can|cannot|will|would)\b`)
	// refusedForm matches refusals of things that nobody has tried, triedWords mentions of a try.
	refusedForm = text.Pattern(
		`(?i)^(?:ok,? |well,? )?(?:no|nope|not|don['’]t|never)\b|\b(?:not an option|out of the question|` +
			`refuses?|no way|i said|don['’]t want|not allowed|forbids?)\b`)
	triedWords = text.Pattern(
		`(?i)\b(?:tried|try|tests?|tested|measured|benchmark\w*|ran|spike|prototyped?|experiment\w*|` +
			`attempt\w*|removed?|revert\w*|roll(?:ed)? back|went back|gave up|threw|forget|drop(?:ped|s)?|` +
			`did(?:n['’]t| not)|slower|faster|crash\w*|failed)\b`)
)

// refused reports whether an item's words express a refusal and mention no try.
func refused(it payload.Item) bool {
	said := append(it.Quotes(), it.Text)
	tries := triedWords().MatchString(strings.Join(append(said, it.Why), "\n"))
	return !tries && slices.ContainsFunc(said, refusedForm().MatchString)
}

// Passage returns the part of a turn that answers the question: whole sentences, verbatim.
func (v Voice) Passage(r *Result) string { return strings.Join(v.Spoken(r), " ") }

// Spoken is Passage in its original lines, without empty ones.
func (v Voice) Spoken(r *Result) (said []string) {
	for one := range strings.Lines(r.Passage) {
		if one = v.Line(one); one != "" {
			said = append(said, one)
		}
	}
	if len(said) == 0 {
		return nil
	}
	before, after, _ := strings.Cut(r.Text, r.Passage)
	if strings.TrimSpace(before) != "" {
		said[0] = "… " + said[0]
	}
	if strings.TrimSpace(after) != "" {
		said[len(said)-1] += " …"
	}
	return said
}
