package text

import (
	"unicode/utf8"

	"github.com/blevesearch/go-porterstemmer"
	"golang.org/x/text/unicode/norm"
)

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
