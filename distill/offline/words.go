package offline

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"recall/internal/text"
)

// A word is a lower-case word or its stem as a number: a hash that two words of one session
// hardly ever share.
type word uint64

func wordOf(s string) word {
	h := word(14695981039346656037) // FNV-1a
	for i := range len(s) {
		h = (h ^ word(s[i])) * 1099511628211
	}
	return h
}

// terms are sorted words without duplicates: sets that are compared by merging.
type terms []word

// keywords returns the words that say what a text is about, stemmed, with names split at
// capitals and punctuation.
func keywords(s string) terms { return sorted(appendKeywords(nil, s)) }

func sorted(words []word) terms {
	slices.Sort(words)
	return slices.Compact(words)
}

// eachShared visits the words that both lists have, in order.
func eachShared(a, b terms, visit func(w word)) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		x, y := a[i], b[j]
		if x == y {
			visit(x)
		}
		if x <= y {
			i++
		}
		if y <= x {
			j++
		}
	}
}

// share returns the share of a's words that b has too.
func share(a, b terms) float64 {
	n := 0
	eachShared(a, b, func(word) { n++ })
	return float64(n) / float64(max(1, len(a)))
}

// appendKeywords appends the stems of a text's uncommon words.
func appendKeywords(out []word, text string) []word {
	for w := range wordsIn(text) {
		w = strings.ToLower(w)
		switch {
		case len(w) < 2, commonWords[w]:
		case w[0] >= utf8.RuneSelf && strings.ContainsFunc(w, unspaced):
			out = appendPairs(out, w)
		default:
			out = append(out, wordOf(stem(w)))
		}
	}
	return out
}

// appendPairs appends all pairs of adjacent letters, which stand in for words where no
// spaces separate them.
func appendPairs(out []word, text string) []word {
	before := -1
	for i, r := range text {
		if before >= 0 {
			out = append(out, wordOf(text[before:i+utf8.RuneLen(r)]))
		}
		before = i
	}
	return out
}

func wordsIn(text string) iter.Seq[string] {
	return func(yield func(w string) bool) {
		start, before := -1, ' '
		for i, r := range text {
			letter := unicode.IsLetter(r) || unicode.IsDigit(r)
			if start >= 0 && (!letter || unicode.IsUpper(r) && unicode.IsLower(before)) {
				if !yield(text[start:i]) {
					return
				}
				start = -1
			}
			if letter && start < 0 {
				start = i
			}
			before = r
		}
		if start >= 0 {
			yield(text[start:])
		}
	}
}

// stem removes the commonest English endings.
func stem(w string) string {
	for _, end := range endings {
		if rest, ok := strings.CutSuffix(w, end); ok && len(rest) >= 3 {
			return rest
		}
	}
	return w
}

var endings = []string{"ations", "ation", "ings", "ing", "ies", "ied", "ers", "er", "es", "ed", "ly", "s", "e"}

var commonWords = text.Set(`a an and are as at be been both but by can could did do does for from had has have how
	i if in into is it its just let ll me more no not of on only or our out own re so than that the their them then
	there these they this those to too up us ve was we were what when where which while who why will with would you
	your also already now still instead because one new use used using via per make made should whether don doesn
	didn isn want need like get ok okay yes please maybe here some any all each about after before other same way
	thing things see look`)

// looksLikePath reports whether a word is the name of a file.
func looksLikePath(w string) bool {
	w = strings.Trim(w, "`\"'(),:;")
	if w == "" || strings.ContainsAny(w, " <>|*") || strings.HasPrefix(w, "http") || strings.HasPrefix(w, "-") {
		return false
	}
	base := w[strings.LastIndexByte(w, '/')+1:]
	dot := strings.LastIndexByte(base, '.')
	ext := base[dot+1:]
	odd := func(r rune) bool { return !unicode.IsLower(r) && !unicode.IsDigit(r) }
	return dot >= 0 && len(ext) >= 1 && len(ext) <= 6 && !strings.ContainsFunc(ext, odd) &&
		strings.ContainsFunc(ext, unicode.IsLower) && (strings.Contains(w, "/") || fileEndings[ext])
}

var fileEndings = text.Set(`go py js ts tsx jsx mjs cjs rb rs java kt swift c h cc cpp hpp cs php sh bash zsh ps1
	sql md mdx txt rst json jsonl yaml yml toml ini cfg conf env lock mod sum xml html css scss vue svelte proto tf
	gradle mk csv tsv ipynb dockerfile lua ex exs erl hs scala clj dart r jl m mm plist xcconfig gitignore docx xlsx
	pptx pdf`)

// worthReading reports whether a sentence may be a statement rather than a heading, label,
// pasted output, bare command or path. Without spaces between words, a number of letters
// suffices.
func worthReading(s *sentence, sp *speech) bool {
	if s.pasted && sp.user || s.block == quoted && !sp.user {
		return false
	}
	words, plainWords, odd, dense := 0, 0, 0, 0
	for w := range strings.FieldsSeq(s.text) {
		words++
		t := strings.Trim(w, "`\"'(),.:;!?*_")
		if t != "" && strings.IndexFunc(t, func(r rune) bool {
			return !unicode.IsLetter(r) &&
				!strings.ContainsRune("'’-", r)
		}) < 0 {
			plainWords++
		} else if !strings.HasPrefix(w, "`") {
			odd++
		}
		for _, r := range w {
			if unspaced(r) {
				dense++
			}
		}
	}
	return dense >= 8 || words >= 3 && plainWords >= 2 && odd <= 2*plainWords
}

// looksPasted reports whether a text looks like output or code.
func looksPasted(raw string) bool {
	t := strings.TrimSpace(raw)
	if strings.ContainsAny(t, "│┃╭╰├└⎿▌") ||
		text.AnyOf(t, strings.HasPrefix, outputStarts...) {
		return true
	}
	code := 0
	for i := range len(t) {
		if strings.IndexByte(`{}[]()<>=;|&$\%`, t[i]) >= 0 {
			code++
		}
	}
	return strings.Count(t, "  ") > 3 || code*8 > len(t)
}

var outputStarts = []string{"$ ", "% ", "> ", "❯", "at ", "✓", "✗", "✘", "⏺", "⎿", "+ ",
	"- [", "Error:", "error:",
	"fatal:", "{", "[", "<", "//", "#!", "func ", "import ", "import(", "diff ", "@@", "panic:", "Traceback", "---", "==="}
