package text

import (
	"cmp"
	"slices"
	"strings"
)

// lastWords is how much of the end of a message is read for what it asks or proposes, in bytes.
const lastWords = 240

// LastWords returns the end of what an assistant said, which asks or proposes.
func LastWords(said string) string {
	said = OneLine(said)
	if over := len(said) - lastWords; over > 0 {
		said = said[over:]
		said = strings.ToValidUTF8(said[strings.IndexByte(said, ' ')+1:], "")
	}
	return said
}

// Asking returns the last question of an assistant's turn, else its last sentence.
func Asking(said string) string {
	all := Sentences(LastWords(said), false)
	for _, s := range slices.Backward(all) {
		if strings.HasSuffix(s, "?") {
			return s
		}
	}
	return strings.Join(all[max(0, len(all)-1):], "")
}

// AskingWhole returns what Asking does, with the sentence before it where a question only points back: "Is that OK?"
func AskingWhole(said string) string {
	asked := Asking(said)
	before, _, _ := strings.Cut(OneLine(said), asked)
	all := Sentences(LastWords(before), false)
	if len(all) > 0 && len(Words(asked)) <= mostPointing && pointing().MatchString(asked) {
		return all[len(all)-1] + " " + asked
	}
	return asked
}

// mostPointing is how many words a question has at most that says nothing without the sentence before it.
const mostPointing = 3

var pointing = Pattern(`(?i)\b(?:it|that|this|them|those|these|so|das|es)\b.*\?$`)

// Replied returns what of an assistant's turn a reply is to: the option that it takes by its label, else its
// LastQuestion.
func Replied(said, reply string) string {
	if from, to, ok := Picked(said, reply); ok {
		return OneLine(said[from:to])
	}
	return LastQuestion(said)
}

// Picked returns the range of the one line of a message whose label a reply takes.
func Picked(said, reply string) (from, to int, ok bool) {
	took := picked(reply)
	begins := labelled().MatchString(reply) && !strings.Contains(reply, "\n") // or it is a list of its own
	if took == nil || took[1] == "" && len(reply) > shortPick && !begins {
		return 0, 0, false
	}
	label, at := cmp.Or(took[1], took[2]), 0
	for line := range strings.Lines(said) {
		if of := labelled().FindStringSubmatchIndex(line); of != nil && line[of[4]:of[5]] == label {
			if ok {
				return 0, 0, false
			}
			from, to, ok = at+of[2], at+len(strings.TrimRight(line, "\r\n")), true
		}
		at += len(line)
	}
	return from, to, ok
}

// picked returns the match of the label that a reply takes: of several, the one that it says to go with, or the first.
func picked(reply string) []string {
	if into := goesWith().FindStringIndex(reply); into != nil {
		if took := picks().FindStringSubmatch(reply[into[1]-1:]); took != nil {
			return took
		}
	}
	return picks().FindStringSubmatch(reply)
}

// goesWith matches what comes before the option that is taken of several: "but let's try option 3".
var goesWith = Pattern(`(?i)\b(?:let['’]?s (?:try|do|take|use|go with)|(?:go|going|proceed|start) with|` +
	`(?:i['’]?d|i) (?:take|prefer|pick)|nehmen wir|mach(?:en wir)?|lieber)\s`)

// shortPick is the length of a reply, in bytes, that may name an option by its label alone, anywhere.
const shortPick = 60

var (
	// picks matches a reply that takes an option by its label: "C", "I like option C", "E with D as default".
	picks = Pattern(`(?:^|[\s"“(]|\p{Han})(?:` +
		`(?:(?i:options?|version|variant|approach|number|choice)\s+#?|#|方案\s*|选项\s*)([A-H1-9])\b|` +
		`([A-H1-9])(?:\W*$|[.,;:)!]\s|\s(?:with|and|as|is|please|then|but|in|\w+ it)\b))`)

	// labelled matches the beginning of a line with an option's label.
	labelled = Pattern(`^(?:[\s#>|•+-]|\* )*([*_]*(?i:(?:option|version|variant|approach)\s+)?([A-H1-9])[*_]*` +
		`(?:[.):]|\s+[(—–-])[*_]*\s)`)
)

const lastLines = 3 // of a message, in which a question is one to the person

// LastQuestion returns the last question of the last lines of a message; "" if none is about anything: "What's next?"
func LastQuestion(said string) string {
	lines := strings.FieldsFunc(said, func(r rune) bool { return r == '\n' })
	for _, line := range slices.Backward(lines[max(0, len(lines)-lastLines):]) {
		for _, s := range slices.Backward(Sentences(line, false)) {
			if strings.HasSuffix(strings.TrimRight(s, "*_` "), "?") && len(Words(s)) > 1 {
				return s
			}
		}
	}
	return ""
}

// AsksSame reports whether a message holds a question, or asks much the same.
func AsksSame(said, question string) bool {
	const same = 3 // words that two questions about much the same share
	of := Words(question)
	shared := Words(LastQuestion(said)).Shared(of)
	return strings.Contains(said, question) || 2*shared >= max(len(of), 2*same)
}

// TakesSide reports whether a reply begins with agreement or refusal, or says to leave things as they are.
func TakesSide(reply string) bool { return Agrees(reply) || Refuses(reply) || LeavesIt(reply) }
