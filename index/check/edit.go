package check

import (
	"slices"
	"strings"

	"recall/internal/text"
)

// edit reads what an edit adds to a file and removes from it.
func (d *parsedAction) edit(old, new string) {
	olds, news := codeLines(old), codeLines(new)
	added, gone := subtractLines(news, olds), subtractLines(olds, news)
	came, went := slices.Concat(added...), slices.Concat(gone...)
	d.add(phrase{way: edit, lines: added, added: newWords(came, went), removed: newWords(went, came)})
}

var comment = text.Pattern("^(#($|[^i])|//|\\*|/\\*|--|;|\"\"\"|<!--)")

// codeLines returns a text's lines without comments, as words.
func codeLines(s string) (out [][]word) {
	for line := range strings.Lines(s) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), " // ")
		line, _, _ = strings.Cut(line, "  # ")
		words := cut(strings.Map(blankPunctuation, line))
		if len(words) > 0 && !comment().MatchString(line) {
			out = append(out, words)
		}
	}
	return out
}

func blankPunctuation(r rune) rune {
	if strings.ContainsRune("\"'(){}[]=,;:<>&|+*!`", r) {
		return ' '
	}
	return r
}

// subtractLines returns the lines that are not among others.
func subtractLines(lines, others [][]word) [][]word {
	return slices.DeleteFunc(slices.Clone(lines), func(a []word) bool {
		return slices.ContainsFunc(others, func(b []word) bool {
			return slices.EqualFunc(a, b, func(a, b word) bool { return a.text == b.text })
		})
	})
}

// newWords returns the words that are not among others.
func newWords(words, others []word) []word {
	return filter(words, func(w word) bool {
		return !slices.ContainsFunc(others, func(o word) bool { return o.text == w.text })
	})
}
