package payload

import (
	"strings"
	"sync"
	"unicode"

	"recall/text"
)

// Words are what is left of a text for comparing it with many others: its words with their weights.
type Words struct {
	words map[string]float64
	sum   float64
}

// WordsOf takes a text's words, stemmed. A name (digits, capitals inside, dots, underscores) weighs three times a
// word, a function word a fifth.
func WordsOf(s string) Words {
	g := Words{words: map[string]float64{}}
	for _, w := range strings.FieldsFunc(s, betweenWords) {
		w = strings.Trim(w, "._-/'’")
		if w == "" {
			continue
		}
		low := strings.ToLower(w)
		weight := 1.0
		switch {
		case functionWords()[low]:
			weight = 0.2
		case isName(w):
			weight = 3
		default:
			low = text.Stem(low)
		}
		if _, ok := g.words[low]; !ok {
			g.words[low] = weight
			g.sum += weight
		}
	}
	return g
}

func betweenWords(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-/'’", r)
}

func isName(w string) bool {
	for i, r := range w {
		if unicode.IsDigit(r) || strings.ContainsRune("._/", r) || i > 0 && unicode.IsUpper(r) {
			return true
		}
	}
	return false
}

// Alike is how alike two texts are, 0 to 1.
func Alike(a, b string) float64 { return WordsOf(a).Alike(WordsOf(b)) }

// Alike is how alike two texts are, 0 to 1: the weight of the words that they share, in parts of the mean of both
// (Dice).
func (g Words) Alike(h Words) float64 {
	if g.sum == 0 || h.sum == 0 {
		return 0
	}
	shared := 0.0
	for w, weight := range g.words {
		if other, ok := h.words[w]; ok {
			shared += min(weight, other)
		}
	}
	return 2 * shared / (g.sum + h.sum)
}

var functionWords = sync.OnceValue(func() map[string]bool {
	return text.Set(`a an the this that these those it its is are was were be been being do does did has have
		had will would can could should may might must of in on at to from by for with without into onto over
		under as and or but if then than so not no we you i they he she our your their them us there here when
		where which who what how why all any each every some more most other only just also very too out up down
		off about after before again once`)
})
