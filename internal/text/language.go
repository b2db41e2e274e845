package text

import (
	"strings"
	"unicode"
)

// SameLanguage reports whether an answer is in the language of the transcript or of what the person typed. It
// returns false only for clear differences: another script, or the function words of another language.
func SameLanguage(said, typed, answer string) bool {
	a, b := scripts(said), scripts(answer)
	if a[""] < 200 || b[""] < 60 {
		return true
	}
	for name, n := range b {
		if 2*n > b[""] && 20*a[name] < a[""] {
			return scripts(typed)[name] > 0
		}
	}
	x, y := functionWordsOf(said), functionWordsOf(answer)
	top := y.top("")
	if y[top] < 12 || y[top] < 3*y[y.top(top)] {
		return true
	}
	// A language of the answer that hardly occurs in the transcript.
	return x[top]*4 >= x[x.top("")] || functionWordsOf(typed)[top] > 0
}

// TwoLanguages reports whether a person writes in another language than the assistant answers in.
func TwoLanguages(typed, answered string) bool {
	a, b := scripts(typed), scripts(answered)
	for name, n := range a {
		if a[""] > 60 && b[""] > 200 && 2*n > a[""] && 10*b[name] < b[""] {
			return true
		}
	}
	x, y := functionWordsOf(typed), functionWordsOf(answered)
	one, other := x.top(""), y.top("")
	return one != other && x[one] >= 4 && y[other] >= 8 && x[one] >= 2*x[other] && y[other] >= 4*y[one]
}

// A tally counts a text's letters by script, or its function words by language.
type tally map[string]int

// top returns the most frequent, leaving out one; "" if there is none.
func (t tally) top(but string) (top string) {
	for name, n := range t {
		if name != but && (n > t[top] || n == t[top] && name < top) {
			top = name
		}
	}
	return top
}

var scriptTables = map[string]*unicode.RangeTable{
	"Latin": unicode.Latin, "Cyrillic": unicode.Cyrillic, "Greek": unicode.Greek, "Han": unicode.Han,
	"Kana":   unicode.Hiragana,
	"Hangul": unicode.Hangul, "Arabic": unicode.Arabic, "Hebrew": unicode.Hebrew, "Devanagari": unicode.Devanagari,
	"Thai": unicode.Thai,
}

// scripts counts letters by script, and all of them under "".
func scripts(text string) tally {
	t := tally{}
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		t[""]++
		if r < 0x250 {
			t["Latin"]++
			continue
		}
		for name, table := range scriptTables {
			if unicode.Is(table, r) {
				t[name]++
				break
			}
		}
	}
	return t
}

var functionWords = func() map[string]string {
	m := map[string]string{}
	for lang, list := range map[string]string{
		"en": "the and is that with not for this which was are from by it should",
		"de": "der die das und ist nicht mit für auf wird werden eine einen sich auch",
		"fr": "les des est une pas dans pour avec sur qui cette être sont aux du",
		"es": "los las una para con por como pero más esta este son del se el",
		"pt": "não uma para com por mais como são dos das foi ser ao também os",
		"it": "il che di non per una sono della con gli alla questo più essere nel",
		"nl": "het een niet van voor met zijn wordt deze ook aan naar bij maar dat",
	} {
		for _, w := range strings.Fields(list) {
			if m[w] != "" {
				m[w] = "-" // shared by two languages, so not indicative
				continue
			}
			m[w] = lang
		}
	}
	return m
}()

func functionWordsOf(text string) tally {
	n := tally{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if lang := functionWords[w]; lang != "" && lang != "-" {
			n[lang]++
		}
	}
	return n
}
