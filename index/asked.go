package index

import (
	"regexp"
	"strings"

	"recall/index/words"
	"recall/payload"
)

// kindWeight is what an item's kind counts unless a question asks for that
// kind. People ask about decisions, dead ends and traps; goals, files and
// status repeat their words and answer little. Chosen on entireio-cli's
// questions over perfect items (the right one at 1 for 0.40 against 0.34, with
// aliases 0.55 against 0.47); on entireio-git-sync's 0.33 as before, and 0.67
// against 0.60.
var kindWeight = map[payload.Kind]float64{
	payload.File:   0.6,
	payload.Status: 0.6,
	payload.Goal:   0.7,
	payload.Next:   0.8,
}

// askedBy are words that ask for a kind of item.
var askedBy = map[string][]payload.Kind{
	"file": {payload.File}, "files": {payload.File}, "where": {payload.File},
	"status": {payload.Status}, "done": {payload.Status, payload.File}, "finished": {payload.Status, payload.File}, "progress": {payload.Status, payload.File},
	"goal": {payload.Goal}, "goals": {payload.Goal}, "aim": {payload.Goal}, "purpose": {payload.Goal},
	"next": {payload.Next}, "left": {payload.Next}, "todo": {payload.Next}, "todos": {payload.Next}, "remaining": {payload.Next}, "remains": {payload.Next},
}

// triedForm matches a question whether something was tried, and why it isn't
// used: what was ruled out answers it.
var triedForm = regexp.MustCompile(`^\s*(?:(?:did|have|had|has|didn't|haven't) (?:we|i|you|they|anyone|somebody)\b.*\b(?:try|tried|test(?:ed)?|consider(?:ed)?|look(?:ed)? at|rule[d]? out)\b|why (?:not|didn't|don't|aren't|isn't|did we (?:not|drop|reject|rule out|give up))\b)`)

// triedWeight is what an eliminated item then counts. Chosen on the sample
// sessions; 7 of the 106 gold questions are of this form, and with it perfect
// items are among the first five for 0.71 instead of 0.69 of entireio-cli's
// questions and 0.63 instead of 0.60 of entireio-git-sync's.
const triedWeight = 1.4

// kindsAsked weighs kinds for a question.
func kindsAsked(question string) func(payload.Kind) float64 {
	asked := map[payload.Kind]bool{}
	words.Each(question, func(w string) bool {
		for _, k := range askedBy[w] {
			asked[k] = true
		}
		return true
	})
	tried := triedForm.MatchString(strings.ToLower(question))
	return func(k payload.Kind) float64 {
		if tried && k == payload.Eliminated {
			return triedWeight
		}
		if w, ok := kindWeight[k]; ok && !asked[k] {
			return w
		}
		return 1
	}
}
