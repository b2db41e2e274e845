package text

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// OneLine puts a text on one line, with single spaces between words.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Capital capitalizes the first letter of a text.
func Capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return ""
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// Head returns at most the first n bytes of a text, without splitting a character.
func Head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

// HeadMarked is Head with "…" in place of the rest.
func HeadMarked(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return Head(s, n) + "…"
}

// HeadWords returns at most the first n bytes of a text, cut after a word if that keeps more than half.
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

// Clip shortens a text to n characters (at least 12), the last of which is "…". It cuts at
// the end of a word if one is near.
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

// Cut cuts a text at a byte, or at the end of a word shortly before it, and appends "…".
func Cut(s string, end int) string {
	if i := strings.LastIndexByte(s[:end], ' '); i > end*2/3 {
		end = i
	}
	return strings.TrimRight(s[:end], " ,;:.") + "…"
}

// Strings converts values of a string type to strings.
func Strings[T ~string](list []T) []string {
	all := make([]string, len(list))
	for i, s := range list {
		all[i] = string(s)
	}
	return all
}

// Thousands formats a number with commas.
func Thousands[N int | int64](n N) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Set returns the set of the words in a space-separated list.
func Set(list string) map[string]bool {
	words := strings.Fields(list)
	set := make(map[string]bool, len(words)) // growing would take twice as long, at each start
	for _, w := range words {
		set[w] = true
	}
	return set
}

// AnyOf reports whether test (strings.Contains, HasPrefix, …) is true for a text and any of the words.
func AnyOf(text string, test func(text, word string) bool, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return test(text, w) })
}

// Counts describes the counts that aren't 0, with the words between bars: "3 new", "1 grown".
func Counts(words string, counts ...int) []string {
	var parts []string
	for i, word := range strings.Split(words, "|") {
		if counts[i] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[i], word))
		}
	}
	return parts
}

// Lookup finds a line of a text whose lines are sorted by the part before a tab, and returns the part after it.
func Lookup(sorted, key string) (rest string, ok bool) {
	lo, hi := 0, len(sorted)
	for lo < hi {
		at := strings.LastIndexByte(sorted[:(lo+hi)/2], '\n') + 1
		line, _, _ := strings.Cut(sorted[at:], "\n")
		k, rest, _ := strings.Cut(line, "\t")
		switch {
		case k == key:
			return rest, true
		case k < key:
			lo = at + len(line) + 1
		default:
			hi = at
		}
	}
	return "", false
}

// Size formats a number of bytes for people.
func Size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%d KB", n>>10)
	}
	return strings.TrimSuffix(fmt.Sprintf("%d bytes", n), map[bool]string{true: "s"}[n == 1])
}

// Dollars formats an amount with as many decimals as it needs: $12.30, $0.0042.
func Dollars(x float64) string {
	switch {
	case x == 0:
		return "$0"
	case x < 0.00005:
		return "under $0.0001"
	case x < 0.1:
		return fmt.Sprintf("$%.4f", x)
	}
	return fmt.Sprintf("$%.2f", x)
}
