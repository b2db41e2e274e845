package answer

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"recall/index"
	"recall/index/embed/minilm"
	"recall/index/rank"
	"recall/internal/text"
)

// everydayText holds words that are about nothing, of several languages, without those that are rare in English.
//
//go:embed everyday.txt
var everydayText string

var everyday = sync.OnceValue(func() map[string]bool { return text.Set(everydayText) })

// whatIsDone matches a word whose place is a verb's: "do we handle", "remind me".
var whatIsDone = text.Pattern(`(?i)\b(?:to|do|does|did|can|could|should|would|will|must|who|what|we|you|i|they)\s+` +
	`(?:(?:we|you|i|they|he|she|it|not|ever|also|still)\s+)*(\pL+)|\b(\pL+)\s+(?:me|us)\b`)

// mostSaid is up to which place among the words of English a verb says little by itself.
const mostSaid = 3500

// worthSaying returns the words of a question that occur nowhere, as it writes them: if others do occur, only what may
// be what it is about, a name or a thing.
func worthSaying(question string, found index.Answer) []string {
	all := text.Written(question, found.Missing)
	if found.Unknown {
		return all
	}
	done := map[string]bool{}
	for _, m := range whatIsDone().FindAllStringSubmatch(question, -1) {
		place, known := minilm.Place(m[1])
		done[strings.ToLower(m[1]+m[2])] = m[2] != "" || known && place <= mostSaid
	}
	return slices.DeleteFunc(all, func(w string) bool {
		w = strings.ToLower(w)
		return everyday()[w] || done[w] || !rank.Topic(w)
	})
}
