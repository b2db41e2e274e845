package text

import "strings"

var denies = Pattern(`(?i)\b(no|not|never|without|don['’]?t|doesn['’]?t|isn['’]?t|aren['’]?t|leave|remove|delete|drop|` +
	`rid of|instead of|rather than|replace|explain|why)\b|\?\s*$`)

// Denies reports whether a sentence denies something or asks, so that what it names isn't what it says.
func Denies(sentence string) bool { return denies().MatchString(sentence) }

// eitherOr matches two options that a sentence offers, up to four words of each.
var eitherOr = Pattern(`(?i)((?:[^\s,.;:?!]+\s+){1,4})or\s+((?:[^\s,.;:?!]+\s*){1,4})`)

// Lost returns the words of the one of two options of a sentence that a reply didn't take; nil if it took neither.
func Lost(sentence, reply string) Bag {
	if !strings.Contains(sentence, " or ") {
		return nil
	}
	took := Bag{}
	for clause := range strings.FieldsFuncSeq(reply, func(r rune) bool { return strings.ContainsRune(",;:.!", r) }) {
		if !Denies(clause) {
			took.Add(Words(clause))
		}
	}
	for _, m := range eitherOr().FindAllStringSubmatch(sentence, -1) {
		a, b := Words(m[1]), Words(m[2])
		switch inA, inB := a.Shared(took), b.Shared(took); {
		case inA > 0 && inB == 0:
			return b
		case inB > 0 && inA == 0:
			return a
		}
	}
	return nil
}
