package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences returns the sentences of a paragraph, as split by Spans.
func Sentences(s string, casual bool) (all []string) {
	for _, c := range Spans(s, casual) {
		all = append(all, s[c[0]:c[1]])
	}
	return all
}

// Nearest returns the sentence of a text that has most of some words.
func Nearest(s string, words Bag) (best string) {
	most := -1
	for _, one := range Sentences(OneLine(s), true) {
		if n := Words(one).Shared(words); n > most {
			best, most = one, n
		}
	}
	return best
}

// Spans returns the byte ranges of a paragraph's sentences. A full stop ends a sentence if white space and no small
// letter follow, save for a name in code; a Chinese or Japanese one always. Brackets and code are not split. In casual
// writing, which is what people type, a sentence may begin with a small letter.
func Spans(s string, casual bool) [][2]int {
	var cuts [][2]int
	from, depth, code := 0, 0, false
	push := func(to int) {
		part := strings.TrimSpace(s[from:to])
		if part != "" {
			a := from + strings.Index(s[from:to], part)
			cuts = append(cuts, [2]int{a, a + len(part)})
		}
		from = to
	}
	for i := 0; i < len(s); {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		end := i + n
		switch {
		case r == '`':
			code = !code
		case r == '\n':
			code, depth = false, 0
		case code:
		case r == '(' || r == '（' || r == '「':
			depth++
		case r == ')' || r == '）' || r == '」':
			depth = max(0, depth-1)
		case depth > 0:
		case r == '。' || r == '！' || r == '？' || r == '｡':
			push(end)
		case r == '.' || r == '!' || r == '?':
			for end < len(s) && strings.IndexByte(".!?\"')*_`", s[end]) >= 0 {
				end++
			}
			if endsSentence(s, i, end, casual) {
				push(end)
			}
		}
		i = end
	}
	push(len(s))
	return cuts
}

// endsSentence reports whether the mark at i, with closing punctuation up to end, ends a sentence.
func endsSentence(s string, i, end int, casual bool) bool {
	next := strings.TrimLeft(s[end:], " \t\r\n")
	if len(next) == len(s[end:]) || next == "" {
		return false
	}
	if s[i] != '.' {
		return true
	}
	word := s[strings.LastIndexAny(s[:i], " \n\t(")+1 : i]
	if utf8.RuneCountInString(word) < 2 || abbreviations[strings.ToLower(word)] {
		return false // an initial, "e.g."
	}
	r, _ := utf8.DecodeRuneInString(next)
	return !unicode.IsLower(r) || casual && s[i-1]|0x20 >= 'a' && s[i-1]|0x20 <= 'z' || ofCode().MatchString(next)
}

// ofCode matches a name in code, which keeps its small letter where a sentence begins with it: "units.py", "load()".
var ofCode = Pattern(`^\w[\w/-]+(?:\.[a-z]|\(\)|_\w)`)

var abbreviations = Set("e.g i.e vs etc cf incl approx resp no mr ms dr st fig z.b d.h u.a bzw ca nr vgl")
