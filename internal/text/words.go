// Package text holds what all parts of recall use to read text, such as words, stems and stop words.
//
// Words are what the index stores and queries consist of: lower case, identifiers both whole and in parts, Chinese,
// Japanese and Korean in pairs of characters. Index and query are split the same way, so that
// `ProcessQueue.acquire` is found by "acquire".
package text

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/go-porterstemmer"
	"golang.org/x/text/unicode/norm"
)

// maxWord is the length in bytes to which words are cut; longer ones are hashes and base64,
// which nobody searches for by their tails.
const maxWord = 64

// Split returns the words of a text in order. A word joined by "_", "-", "." or "/", or in camelCase, is followed
// by its parts; the last segment of a path also counts as a whole. Stop words are kept.
func Split(s string) []string {
	var out []string
	Each(s, func(w string) bool { out = append(out, w); return true })
	return out
}

// Each calls f for each word of Split until f returns false.
func Each(s string, f func(string) bool) {
	for i := 0; i < len(s); {
		j := plainEnd(s, i)
		if j == i && s[i] < utf8.RuneSelf {
			i++
			continue
		}
		if j > i && ends(s, j) { // most words
			w := Head(s[i:j], maxWord)
			if !plain(w[0]) {
				w = strings.ToLower(w)
			}
			if !f(w) {
				return
			}
			i = j
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case Unspaced(r):
			run := s[i:]
			if end := strings.IndexFunc(run, func(r rune) bool { return !Unspaced(r) }); end > 0 {
				run = run[:end]
			}
			if !pairs(run, f) {
				return
			}
			i += len(run)
		case inner(r):
			j := chunkEnd(s, i)
			if !chunk(s[i:j], f) {
				return
			}
			i = j
		default:
			i += n
		}
	}
}

// plainEnd returns the end of a run of small letters and digits, which may begin with a capital.
func plainEnd(s string, i int) int {
	if i < len(s) && s[i]-'A' < 26 {
		i++
	}
	for i < len(s) && plain(s[i]) {
		i++
	}
	return i
}

func plain(c byte) bool { return c-'a' < 26 || c-'0' < 10 }

// Letter reports whether c is an ASCII letter.
func Letter[C byte | rune](c C) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// Alnum reports whether c is an ASCII letter or digit.
func Alnum[C byte | rune](c C) bool { return Letter(c) || c >= '0' && c <= '9' }

// ends reports whether a word that extends to i is certain to end there: a joiner joins only what follows it.
func ends(s string, i int) bool {
	if i < len(s) && joiner(rune(s[i])) {
		i++
	}
	return i == len(s) || s[i] < utf8.RuneSelf && !inner(rune(s[i]))
}

// bytesAWord is how long a text is for each different word in it, more or less.
const bytesAWord = 20

// Content returns the words of a text that carry meaning, without duplicates, in order of
// first use. Stop words are omitted unless there is nothing else.
func Content(s string) []string {
	var all, out []string
	seen := make(map[string]bool, len(s)/bytesAWord)
	Each(s, func(w string) bool {
		if !seen[w] {
			seen[w] = true
			all = append(all, w)
			if !Stop(w) {
				out = append(out, w)
			}
		}
		return true
	})
	if len(out) == 0 {
		return all
	}
	return out
}

// Written returns those of a text's words that are among the given ones, found by Split, as the text writes them:
// an identifier whole, a path by its segments. Stop words, which no index has, and two characters cut out of a sentence
// without spaces are left out.
func Written(s string, words []string) (out []string) {
	for i := 0; i < len(s); {
		_, n := utf8.DecodeRuneInString(s[i:])
		end := chunkEnd(s, i)
		for _, name := range strings.FieldsFunc(s[i:end], func(r rune) bool { return r == '/' || r == '\\' }) {
			if w := Split(name)[0]; slices.Contains(words, w) && !Stop(w) && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
		i = max(end, i+n)
	}
	return out
}

func inner(r rune) bool {
	if r < utf8.RuneSelf {
		return plain(byte(r)) || r-'A' < 26 && r >= 'A'
	}
	return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !Unspaced(r)
}

// joiner reports whether a character connects the parts of an identifier.
func joiner(r rune) bool { return r == '_' || r == '-' || r == '.' || r == '/' || r == '\\' }

// Unspaced reports whether a letter's script is written without spaces between words, or attaches endings to them.
func Unspaced(r rune) bool {
	if r < 0x1100 {
		return false
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao,
		unicode.Khmer, unicode.Myanmar) || r == 'ー'
}

// chunkEnd returns the end of an identifier that starts at i: letters and digits with joiners only between them.
func chunkEnd(s string, i int) int {
	end := i
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case inner(r):
			i += n
			end = i
		case joiner(r) && i == end: // one joiner at a time: "a--b", "wait...what" are two words
			i += n
		default:
			return end
		}
	}
	return end
}

// pairs emits a run of an unspaced script as overlapping pairs of characters.
func pairs(s string, f func(string) bool) bool {
	_, n := utf8.DecodeRuneInString(s)
	if n == len(s) {
		return f(s)
	}
	for i := 0; i < len(s); {
		_, a := utf8.DecodeRuneInString(s[i:])
		_, b := utf8.DecodeRuneInString(s[i+a:])
		if b == 0 {
			return true
		}
		if !f(s[i : i+a+b]) {
			return false
		}
		i += a
	}
	return true
}

// chunk emits an identifier, whole and in parts.
func chunk(s string, f func(string) bool) bool {
	whole := s
	if i := strings.LastIndexAny(s, `/\`); i >= 0 {
		whole = s[i+1:]
	}
	var room [8]string
	parts := parts(room[:0], s)
	if len(parts) > 1 {
		if w := join(whole); len(parts) > 2 || w != parts[len(parts)-1] {
			if !f(Head(w, maxWord)) {
				return false
			}
		}
	}
	for _, p := range parts {
		if !f(Head(p, maxWord)) {
			return false
		}
	}
	return true
}

func join(s string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if joiner(r) {
			return -1
		}
		return r
	}, s))
}

// parts appends the pieces of s, which it splits at joiners and changes of case:
// "parseJSONFile" becomes parse, json, file.
func parts(out []string, s string) []string {
	start := 0
	flush := func(i int) {
		if i > start {
			out = append(out, strings.ToLower(s[start:i]))
		}
		start = i
	}
	var before rune
	for i, r := range s {
		switch {
		case joiner(r):
			flush(i)
			start = i + 1 // joiners are single bytes
		case i == start || !unicode.IsUpper(r):
		case unicode.IsLower(before), unicode.IsDigit(before):
			flush(i)
		case unicode.IsUpper(before) && lowerAt(s, i+utf8.RuneLen(r)):
			flush(i)
		}
		before = r
	}
	flush(len(s))
	return out
}

func lowerAt(s string, i int) bool {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return unicode.IsLower(r)
}

// Stop reports whether a lower-case word says nothing about a question's topic: function
// words, and those that occur in every question to recall ("what did we decide about …").
func Stop(w string) bool { return stopWords[w] }

var stopWords = Set(`a about again all also am an and any anything are as at be because been before being both but by
	can could d did do does doing don each either else ever every few for from further get gets got had has have having
	he her here hers him his how i if in into is isn it its itself just ll let m may me might more most much must my no
	nor not now of on once one only or other our ours out over own re s same she should so some something still such t
	than that the their them then there these they thing things this those to too under until up us ve very was wasn we
	were what whats when where which while who whom whose why will with won would you your yours yet decide decided
	decides choose chose chosen pick picked try tried`)

// Stem is the Porter (1980) stemmer as in SQLite's FTS5: for words of 3 to 64 bytes;
// anything but a, e, i, o, u and y counts as a consonant, byte by byte. Accents are removed
// from Latin letters first. A test compares it with FTS5.
func Stem(w string) string {
	w = unaccented(w)
	if len(w) < 3 || len(w) > 64 {
		return w
	}
	var room [64 + 1]rune
	for i := range len(w) {
		room[i] = rune(w[i])
	}
	stem := porterstemmer.StemWithoutLowerCasing(room[:len(w)])
	var out [64 + 1]byte
	for i, r := range stem {
		out[i] = byte(r)
	}
	if string(out[:len(stem)]) == w {
		return w // most words are their own stem
	}
	return string(out[:len(stem)])
}

// unaccented replaces ä by a, and so on.
func unaccented(w string) string {
	ascii := true
	for i := range len(w) {
		ascii = ascii && w[i] < utf8.RuneSelf
	}
	if ascii {
		return w
	}
	b := make([]byte, 0, len(w))
	for len(w) > 0 {
		of := norm.NFD.PropertiesString(w)
		n := max(of.Size(), 1)
		if d := of.Decomposition(); len(d) > 0 && d[0] < utf8.RuneSelf {
			b = append(b, d[0])
		} else {
			b = append(b, w[:n]...)
		}
		w = w[n:]
	}
	return string(b)
}
