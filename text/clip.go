package text

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// OneLine is a text on one line, with single spaces between its words.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Capital is a text with a capital letter in front.
func Capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return ""
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// Head is the beginning of a text: at most n bytes, whole characters.
func Head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

// HeadMarked is Head with "…" in the place of the rest.
func HeadMarked(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return Head(s, n) + "…"
}

// HeadWords is the beginning of a text as it stands: at most n bytes, cut behind a word
// where that costs less than half.
func HeadWords(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	if i := strings.LastIndexAny(s[:n], " \n\t"); i > n/2 {
		n = i
	}
	return strings.TrimSpace(s[:n])
}

// Clip shortens a text to n characters, twelve at the least, the last of them "…".
// It is cut at a word's end if there is one near.
func Clip(s string, n int) string {
	if n = max(n, 12); len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	end := 0
	for range n - 1 {
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	return Cut(s, end)
}

// Cut is a text as far as a byte, or a word's end near before it, and "…".
func Cut(s string, end int) string {
	if i := strings.LastIndexByte(s[:end], ' '); i > end*2/3 {
		end = i
	}
	return strings.TrimRight(s[:end], " ,;:.") + "…"
}

// Strings are words of a type of their own as plain ones.
func Strings[T ~string](list []T) []string {
	all := make([]string, len(list))
	for i, s := range list {
		all[i] = string(s)
	}
	return all
}

// Thousands writes a number with commas.
func Thousands[N int | int64](n N) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Set is a list of words, parted by blanks, for looking them up.
func Set(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// AnyOf reports whether test (strings.Contains, HasPrefix, …) holds of a text and one of the words.
func AnyOf(text string, test func(text, word string) bool, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return test(text, w) })
}

// Counts says what there are any of, by the words between bars: "3 new", "1 grown".
func Counts(words string, counts ...int) []string {
	var parts []string
	for i, word := range strings.Split(words, "|") {
		if counts[i] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[i], word))
		}
	}
	return parts
}
