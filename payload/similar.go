package payload

import (
	"strings"
	"sync"
	"unicode"

	"recall/text"
)

// WordsOf takes a text's words for comparing it, stemmed. A name weighs three times a word, a function word a fifth.
func WordsOf(s string) text.Bag {
	g := text.Bag{}
	for _, w := range strings.FieldsFunc(s, betweenWords) {
		w = strings.Trim(w, "._-/'’")
		low := strings.ToLower(w)
		switch {
		case w == "":
		case functionWords()[low]:
			g.Put(low, 0.2)
		case text.IsName(w):
			g.Put(low, 3)
		default:
			g.Put(text.Stem(low), 1)
		}
	}
	return g
}

func betweenWords(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-/'’", r)
}

// Alike is how alike two texts are, 0 to 1.
func Alike(a, b string) float64 { return WordsOf(a).Like(WordsOf(b)) }

var functionWords = sync.OnceValue(func() map[string]bool {
	return text.Set(`a an the this that these those it its is are was were be been being do does did has have
		had will would can could should may might must of in on at to from by for with without into onto over
		under as and or but if then than so not no we you i they he she our your their them us there here when
		where which who what how why all any each every some more most other only just also very too out up down
		off about after before again once`)
})
