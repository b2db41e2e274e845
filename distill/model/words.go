package model

import (
	"strings"
	"unicode"

	"recall/text"
)

// bagOf takes a text's words. Names weigh twice, and so do their parts.
func bagOf(s string) text.Bag {
	b := text.Bag{}
	for _, w := range strings.FieldsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._/-", r)
	}) {
		weight := 1.0
		if text.IsName(strings.Trim(w, "._/-")) {
			weight = 2
		}
		text.Each(w, func(part string) bool {
			if len(part) > 1 && !text.Stop(part) {
				b.Put(text.Stem(part), weight)
			}
			return true
		})
	}
	return b
}
