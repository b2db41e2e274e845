package minilm

import (
	_ "embed"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"recall/internal/text"
)

// vocabulary holds the pieces of words in order, each with a tab and its number. It is searched as it is, so that
// nothing is parsed at start.
//
//go:embed vocabulary.txt
var vocabulary string

const (
	begin       = 101 // [CLS]
	end         = 102 // [SEP]
	unknown     = 100 // [UNK], a word that can't be put together from pieces
	firstWord   = 1996
	longestWord = 100 // characters
)

// tokenize splits a text into the numbers of its tokens as BERT's tokenizer does, at most 256 with [CLS] before
// and [SEP] behind: a word is split into the longest pieces from its beginning.
func tokenize(s string) []int {
	out := []int{begin}
	for w := range words(s) {
		if out = append(out, pieces(w)...); len(out) >= longest {
			out = out[:longest-1]
			break
		}
	}
	return append(out, end)
}

// words yields a text's words in lower case and without accents; punctuation marks and Chinese characters are words of
// their own.
func words(s string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		from, to := 0, 0 // of a word in b
		var b strings.Builder
		flush := func() bool {
			from, to = to, b.Len()
			return from == to || yield(b.String()[from:to])
		}
		for _, r := range norm.NFD.String(s) {
			switch {
			case r == '\t' || r == '\n' || r == '\r':
				if !flush() {
					return
				}
			case r == 0 || r == utf8.RuneError || unicode.In(r, unicode.C, unicode.Mn):
			case unicode.IsSpace(r):
				if !flush() {
					return
				}
			case punctuation(r) || chinese(r):
				if !flush() || !yield(string(r)) {
					return
				}
			default:
				b.WriteRune(unicode.ToLower(r))
			}
		}
		flush()
	}
}

func punctuation(r rune) bool {
	return r > 32 && r < 127 && !unicode.IsLetter(r) && !unicode.IsDigit(r) || unicode.IsPunct(r)
}

func chinese(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF || r >= 0x20000 && r <= 0x2CEAF || r >= 0xF900 &&
		r <= 0xFAFF || r >= 0x2F800 && r <= 0x2FA1F
}

// Place returns the place of a word among those of English, the most frequent first, if the vocabulary has it whole.
func Place(word string) (n int, known bool) {
	s, known := text.Lookup(vocabulary, strings.ToLower(word))
	n, _ = strconv.Atoi(s)
	return n - firstWord, known
}

func pieces(word string) []int {
	if utf8.RuneCountInString(word) > longestWord {
		return []int{unknown}
	}
	var out []int
	prefix := ""
	for word != "" {
		n, id := longestPiece(prefix, word)
		if n == 0 {
			return []int{unknown}
		}
		out, word, prefix = append(out, id), word[n:], "##"
	}
	return out
}

// longestPiece returns the length and number of the longest piece that a word begins with, 0 if there is none.
func longestPiece(prefix, word string) (n, id int) {
	for n = len(word); n > 0; n-- {
		if s, ok := text.Lookup(vocabulary, prefix+word[:n]); ok {
			id, _ = strconv.Atoi(s) // written by eval/cmd/quantize
			return n, id
		}
	}
	return 0, 0
}
