package text

import (
	"strings"
	"unicode"
)

// SameLanguage reports whether an answer is in the language of the transcript or of what
// the person typed. It returns false only for clear differences: another script, or the
// function words of another language.
func SameLanguage(said, typed, answer string) bool {
	a, b := scripts(said), scripts(answer)
	if a.letters < 200 || b.letters < 60 {
		return true
	}
	for name, n := range b.of {
		if float64(n) > 0.5*float64(b.letters) && float64(a.of[name]) < 0.05*float64(a.letters) {
			return scripts(typed).of[name] > 0
		}
	}
	x, y := countFunctionWords(said), countFunctionWords(answer)
	top := mostFrequent(y)
	if top == "" || y[top] < 12 || y[top] < 3*secondCount(y, top) {
		return true
	}
	// A language of the answer that hardly occurs in the transcript.
	return x[top]*4 >= x[mostFrequent(x)] || countFunctionWords(typed)[top] > 0
}

// TwoLanguages reports whether a person writes in another language than the assistant answers in.
func TwoLanguages(typed, answered string) bool {
	a, b := scripts(typed), scripts(answered)
	for name, n := range a.of {
		if a.letters > 60 && b.letters > 200 && float64(n) > 0.5*float64(a.letters) &&
			float64(b.of[name]) < 0.1*float64(b.letters) {
			return true
		}
	}
	x, y := countFunctionWords(typed), countFunctionWords(answered)
	one, other := mostFrequent(x), mostFrequent(y)
	return one != other && x[one] >= 4 && y[other] >= 8 && x[one] >= 2*x[other] && y[other] >= 4*y[one]
}

func mostFrequent(m map[string]int) string {
	top := ""
	for lang, n := range m {
		if n > m[top] || n == m[top] && lang < top {
			top = lang
		}
	}
	return top
}

func secondCount(m map[string]int, first string) int {
	most := 0
	for lang, n := range m {
		if lang != first {
			most = max(most, n)
		}
	}
	return most
}

type scriptCount struct {
	letters int
	of      map[string]int
}

var scriptTables = map[string]*unicode.RangeTable{
	"Latin": unicode.Latin, "Cyrillic": unicode.Cyrillic, "Greek": unicode.Greek, "Han": unicode.Han,
	"Kana":   unicode.Hiragana,
	"Hangul": unicode.Hangul, "Arabic": unicode.Arabic, "Hebrew": unicode.Hebrew, "Devanagari": unicode.Devanagari,
	"Thai": unicode.Thai,
}

func scripts(text string) scriptCount {
	c := scriptCount{of: map[string]int{}}
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		c.letters++
		if r < 0x250 {
			c.of["Latin"]++
			continue
		}
		for name, table := range scriptTables {
			if unicode.Is(table, r) {
				c.of[name]++
				break
			}
		}
	}
	return c
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

func countFunctionWords(text string) map[string]int {
	n := map[string]int{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if lang := functionWords[w]; lang != "" && lang != "-" {
			n[lang]++
		}
	}
	return n
}
