package payload

import (
	"strings"

	"recall/text"
)

// RuledOutThing is what an eliminated item rules out, without its "no": "Ruled out: no Redis" would say the opposite.
func RuledOutThing(text string) string {
	for _, no := range []string{"No ", "no ", "Not ", "not ", "Don't use ", "don't use ", "Never "} {
		if rest, ok := strings.CutPrefix(text, no); ok && rest != "" {
			return rest
		}
	}
	return text
}

// noForm matches a sentence that says itself that something is out.
var noForm = text.Pattern(`(?i)\b(?:is|are|was|were|has|have|do|does|did|can|could|will|would|should) ` +
	`(?:not|never|no)\b|\b(?:cannot|no longer|never)\b|\w+n['’]t\b|\b(?:is|are|was|were|drops?|dropped|ruled|falls?) ` +
	`out\b|\bit['’]s (?:not|no|out)\b|\bnot\b|\brul(?:es?|ing) out\b|\bskip(?:s|ped|ping)?\b|\b(?:fails?|breaks?)\b`)

// SaysNo reports whether an eliminated item's text says itself that something is out, so that "Ruled out" before it
// would say the opposite: "a lock doesn't help".
func SaysNo(text string) bool {
	return RuledOutThing(text) == text && noForm().MatchString(text)
}
