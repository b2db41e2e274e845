package offline

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A word is a lower-case word, or its stem, as a number: its first eight bytes.
// Of a longer one it is the first four and a hash of the rest, which two words
// of one session hardly ever share.
type word uint64

func wordOf(s string) word {
	if len(s) <= 8 {
		w := word(0)
		for i := range len(s) {
			w = w<<8 | word(s[i])
		}
		return w << (64 - 8*len(s))
	}
	hash := uint32(2166136261) // FNV-1a
	for i := 4; i < len(s); i++ {
		hash = (hash ^ uint32(s[i])) * 16777619
	}
	return wordOf(s[:4]) | word(hash)
}

// terms are words in order, about that of the alphabet, each once: sets that are
// compared by walking along both, and whose weights are always summed in the
// same order.
type terms []word

// keywords are the words of a text that say what it is about, cut to their
// stems, names split at their humps and punctuation.
func keywords(text string) terms {
	var room [64]word
	return slices.Clone(sorted(appendKeywords(room[:0], text)))
}

// sorted makes terms of words.
func sorted(words []word) terms {
	slices.Sort(words)
	return slices.Compact(words)
}

// keys are the sentence's keywords.
func (s *sentence) keys() terms {
	if s.words == nil {
		s.words = keywords(s.text)
	}
	return s.words
}

// eachShared visits the words that two lists have both, in order.
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

// shared counts the words that two lists have both.
func shared(a, b terms) int {
	n := 0
	eachShared(a, b, func(word) { n++ })
	return n
}

// share is the share of a's words that b has too.
func share(a, b terms) float64 {
	if len(a) == 0 {
		return 0
	}
	return float64(shared(a, b)) / float64(len(a))
}

// weighed is the share of a's words that b has too, rare words counting more.
func weighed(a, b terms, rare rarity) float64 {
	both := rare.shared(a, b)
	if both == 0 {
		return 0
	}
	return both / rare.all(a)
}

// shared is the weight of the words that two lists have both.
func (r rarity) shared(a, b terms) (weight float64) {
	eachShared(a, b, func(w word) { weight += r.of(w) })
	return weight
}

// all is the weight of a list.
func (r rarity) all(words terms) (weight float64) {
	for _, w := range words {
		weight += r.of(w)
	}
	return weight
}

// appendKeywords adds a text's words that aren't common, cut to their stems.
func appendKeywords(out []word, text string) []word {
	var room [32]byte
	for w := range wordsIn(text) {
		if !smallLetters(w) {
			w = string(appendLower(room[:0], w))
		}
		if len(w) < 2 || isCommon(w) {
			continue
		}
		if w[0] >= utf8.RuneSelf && strings.ContainsFunc(w, unspaced) {
			out = appendPairs(out, w)
			continue
		}
		w = stem(w)
		out = append(out, wordOf(w))
	}
	return out
}

// appendPairs adds each two letters that stand side by side: words, as far as they
// can be told where no blanks part them.
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

// appendLower adds a word in small letters.
func appendLower(out []byte, w string) []byte {
	for i := range len(w) {
		c := w[i]
		if c >= utf8.RuneSelf {
			return append(out[:0], strings.ToLower(w)...)
		}
		if c-'A' < 26 {
			c |= 0x20
		}
		out = append(out, c)
	}
	return out
}

// wordsIn visits the words of a text as they are written.
func wordsIn(text string) iter.Seq[string] {
	return func(yield func(w string) bool) {
		start, prev := -1, rune(0)
		for i := 0; i < len(text); {
			if text[i]-'a' < 26 { // as most are
				if start < 0 {
					start = i
				}
				for i++; i < len(text) && text[i]-'a' < 26; i++ {
				}
				prev = 'a'
				continue
			}
			r, n := rune(text[i]), 1
			letter, upper := false, false
			if r < utf8.RuneSelf {
				upper = r-'A' < 26 && r >= 'A'
				letter = upper || r-'0' < 10 && r >= '0'
			} else {
				r, n = utf8.DecodeRuneInString(text[i:])
				letter, upper = unicode.IsLetter(r) || unicode.IsDigit(r), unicode.IsUpper(r)
			}
			if start >= 0 && (!letter || upper && unicode.IsLower(prev)) {
				if !yield(text[start:i]) {
					return
				}
				start = -1
			}
			if letter && start < 0 {
				start = i
			}
			prev = r
			i += n
		}
		if start >= 0 {
			yield(text[start:])
		}
	}
}

// stem cuts the commonest English endings.
func stem(w string) string {
	if w == "" || strings.IndexByte("sngdrye", w[len(w)-1]) < 0 {
		return w // none of them ends so
	}
	for _, end := range endings {
		if end[len(end)-1] == w[len(w)-1] && strings.HasSuffix(w, end) && len(w)-len(end) >= 3 {
			return w[:len(w)-len(end)]
		}
	}
	return w
}

var endings = []string{"ations", "ation", "ings", "ing", "ies", "ied", "ers", "er", "es", "ed", "ly", "s", "e"}

var commonWords = wordSet(`a an and are as at be been both but by can could did do does for from had has have how i if in into
	is it its just let ll me more no not of on only or our out own re so than that the their them then there these they this those
	to too up us ve was we were what when where which while who why will with would you your also already now still instead because
	one new use used using via per make made should whether don doesn didn isn want need like get ok okay yes please maybe here
	some any all each about after before other same way thing things see look`)

// commonStarts are the first letters of the common words of each length: most
// other words are told from them by that.
var commonStarts = func() (starts [16]uint32) {
	for w := range commonWords {
		starts[len(w)] |= 1 << (w[0] - 'a')
	}
	return starts
}()

func isCommon(w string) bool {
	return len(w) < len(commonStarts) && w[0] >= 'a' && w[0] <= 'z' && commonStarts[len(w)]&(1<<(w[0]-'a')) != 0 &&
		commonWords[w]
}

func wordSet(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// looksLikePath tells a file's or folder's name.
func looksLikePath(w string) bool {
	w = strings.Trim(w, "`\"'(),:;")
	if w == "" || strings.ContainsAny(w, " <>|*") || strings.HasPrefix(w, "http") || strings.HasPrefix(w, "-") {
		return false
	}
	base := w[strings.LastIndexByte(w, '/')+1:]
	dot := strings.LastIndexByte(base, '.')
	ext := base[dot+1:]
	if dot >= 0 && len(ext) >= 1 && len(ext) <= 6 && strings.IndexFunc(ext, func(r rune) bool { return !unicode.IsLower(r) && !unicode.IsDigit(r) }) < 0 &&
		strings.IndexFunc(ext, unicode.IsLower) >= 0 && (strings.Contains(w, "/") || fileEndings[ext]) {
		return true
	}
	return false
}

var fileEndings = wordSet(`go py js ts tsx jsx mjs cjs rb rs java kt swift c h cc cpp hpp cs php sh bash zsh ps1 sql md mdx txt rst json
	jsonl yaml yml toml ini cfg conf env lock mod sum xml html css scss vue svelte proto tf gradle mk csv tsv ipynb dockerfile lua ex
	exs erl hs scala clj dart r jl m mm plist xcconfig gitignore docx xlsx pptx pdf`)

// worthReading leaves out what is no statement: headings, labels, pasted output,
// bare commands and paths. Where no blanks part words, as many letters will do.
func worthReading(s *sentence, sp *speech) bool {
	if s.pasted && sp.user || s.block == quoted && !sp.user {
		return false
	}
	words, plainWords, odd, dense := 0, 0, 0, 0
	for w := range strings.FieldsSeq(s.text) {
		words++
		if smallLetters(w) {
			plainWords++
			continue
		}
		t := strings.Trim(w, "`\"'(),.:;!?*_")
		if t != "" && strings.IndexFunc(t, func(r rune) bool {
			return !unicode.IsLetter(r) && r != '\'' && r != '’' &&
				r != '-'
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

// looksPasted tells output and code from talk.
func looksPasted(raw string) bool {
	t := strings.TrimSpace(raw)
	if t == "" {
		return false
	}
	for _, p := range outputStarts[t[0]] {
		if strings.HasPrefix(t, p) {
			return true
		}
	}
	code, gaps := 0, 0
	for i := 0; i < len(t); i++ {
		switch c := t[i]; c {
		case '{', '}', '[', ']', '(', ')', '<', '>', '=', ';', '|', '&', '$', '\\', '%':
			code++
		case ' ':
			if i+1 < len(t) && t[i+1] == ' ' {
				gaps++
				i++
			}
		case frames[0]:
			if r, _ := utf8.DecodeRuneInString(t[i:]); strings.ContainsRune(frames, r) {
				return true
			}
		}
	}
	return gaps > 3 || code*8 > len(t)
}

const frames = "│┃╭╰├└⎿▌" // all of them begin with the same byte

// outputStarts are the beginnings of output and code, by their first byte.
var outputStarts = func() (by [256][]string) {
	for _, p := range []string{"$ ", "% ", "> ", "❯", "at ", "✓", "✗", "✘", "⏺", "⎿", "+ ", "- [", "Error:", "error:", "fatal:", "{", "[", "<", "//", "#!", "func ", "import ", "import(", "diff ", "@@", "panic:", "Traceback", "---", "==="} {
		by[p[0]] = append(by[p[0]], p)
	}
	return by
}()
