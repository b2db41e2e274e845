package text

import (
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
	return all[len(all)-1]
}

// Replied returns what of an assistant's turn a reply is to: the option whose label it names, if no other line has that
// label, else its LastQuestion.
func Replied(said, reply string) string {
	named := strings.FieldsFunc(reply, func(r rune) bool { return strings.ContainsRune(" \t\n.,;:!()*`", r) })
	took := map[bool][]string{} // by whether the line is called an option
	for line := range strings.Lines(said) {
		label := optionLabel().FindStringSubmatch(line)
		if label != nil && slices.Contains(named, label[2]) && label[2] != "a" {
			took[label[1] != ""] = append(took[label[1] != ""], OneLine(line))
		}
	}
	for _, called := range []bool{true, false} {
		if len(took[called]) == 1 {
			return took[called][0]
		}
	}
	return LastQuestion(said)
}

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

// optionLabel matches the beginning of a line with the label of an option.
var optionLabel = Pattern(`^[\s#>|*_•+-]*\(?((?i:option|version|variant|approach|path)\s+)?([A-Ha-h1-9])[*_]*` +
	`(?:[.):]|\s+[(—–-])`)

// TakesSide reports whether a reply begins with agreement or refusal, or says to leave things as they are.
func TakesSide(reply string) bool { return Agrees(reply) || Refuses(reply) || LeavesIt(reply) }
