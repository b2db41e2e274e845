package text

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Stem is the Porter (1980) stemmer as SQLite's FTS5 has it: words of 3 to 64
// bytes; anything but a, e, i, o, u and y counts as a consonant. Accents of
// Latin letters are left out before. A test holds it against FTS5's own.
func Stem(w string) string {
	w = unaccented(w)
	if len(w) < 3 || len(w) > 64 {
		return w
	}
	var room [64 + 1]byte
	b := step1(append(stemBytes(room[:0]), w...))
	b = replace(b, &step2)
	b = replace(b, &step3)
	b = step4(b)
	b = step5(b)
	if len(b) == len(w) && string(b) == w {
		return w // most words are their own stem
	}
	return string(b)
}

// unaccented is a word with a for ä and the like.
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

type stemBytes []byte

func step1(b stemBytes) stemBytes {
	switch {
	case b.has("sses"), b.has("ies"):
		b = b[:len(b)-2]
	case b.has("ss"):
	case b.has("s"):
		b = b[:len(b)-1]
	}
	b = step1b(b)
	if b.has("y") && b[:len(b)-1].vowel() {
		b[len(b)-1] = 'i'
	}
	return b
}

func step1b(b stemBytes) stemBytes {
	switch {
	case b.has("eed"):
		if b[:len(b)-3].measure() > 0 {
			b = b[:len(b)-1]
		}
		return b
	case b.has("ed") && b[:len(b)-2].vowel():
		b = b[:len(b)-2]
	case b.has("ing") && b[:len(b)-3].vowel():
		b = b[:len(b)-3]
	default:
		return b
	}
	switch {
	case b.has("at"), b.has("bl"), b.has("iz"):
		b = append(b, 'e')
	case b.double() && !b.has("l") && !b.has("s") && !b.has("z"):
		b = b[:len(b)-1]
	case b.measure() == 1 && b.cvc():
		b = append(b, 'e')
	}
	return b
}

// rules say what takes a suffix's place, by the suffix's last letter from 'a';
// of those that end alike, the longer first.
type rules [26][]rule

type rule struct{ suffix, instead string }

var (
	step2 = rules{
		'i' - 'a': {{"biliti", "ble"}, {"entli", "ent"}, {"ousli", "ous"}, {"aliti", "al"}, {"iviti", "ive"},
			{"enci", "ence"}, {"anci", "ance"}, {"logi", "log"}, {"alli", "al"}, {"bli", "ble"}, {"eli", "e"}},
		'l' - 'a': {{"ational", "ate"}, {"tional", "tion"}},
		'm' - 'a': {{"alism", "al"}},
		'n' - 'a': {{"ization", "ize"}, {"ation", "ate"}},
		'r' - 'a': {{"izer", "ize"}, {"ator", "ate"}},
		's' - 'a': {{"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"}},
	}
	step3 = rules{
		'e' - 'a': {{"icate", "ic"}, {"ative", ""}, {"alize", "al"}},
		'i' - 'a': {{"iciti", "ic"}},
		'l' - 'a': {{"ical", "ic"}, {"ful", ""}},
		's' - 'a': {{"ness", ""}},
	}
	suffixes4 = [26][]string{
		'c' - 'a': {"ic"},
		'e' - 'a': {"ance", "ence", "able", "ible", "ate", "ive", "ize"},
		'i' - 'a': {"iti"},
		'l' - 'a': {"al"},
		'm' - 'a': {"ism"},
		'n' - 'a': {"ion"},
		'r' - 'a': {"er"},
		's' - 'a': {"ous"},
		't' - 'a': {"ement", "ment", "ant", "ent"},
		'u' - 'a': {"ou"},
	}
)

func replace(b stemBytes, all *rules) stemBytes {
	last := b[len(b)-1] - 'a'
	if last >= 26 {
		return b
	}
	for _, r := range all[last] {
		if b.has(r.suffix) {
			if st := b[:len(b)-len(r.suffix)]; st.measure() > 0 {
				return append(st, r.instead...)
			}
			return b
		}
	}
	return b
}

func step4(b stemBytes) stemBytes {
	last := b[len(b)-1] - 'a'
	if last >= 26 {
		return b
	}
	for _, s := range suffixes4[last] {
		if !b.has(s) {
			continue
		}
		st := b[:len(b)-len(s)]
		if st.measure() > 1 && (s != "ion" || st.has("s") || st.has("t")) {
			return st
		}
		return b
	}
	return b
}

func step5(b stemBytes) stemBytes {
	if b.has("e") {
		st := b[:len(b)-1]
		if n := st.measure(); n > 1 || n == 1 && !st.cvc() {
			b = st
		}
	}
	if b.measure() > 1 && b.double() && b.has("l") {
		b = b[:len(b)-1]
	}
	return b
}

func (b stemBytes) has(s string) bool { return len(b) > len(s) && string(b[len(b)-len(s):]) == s }

func (b stemBytes) consonant(i int) bool {
	switch b[i] {
	case 'a', 'e', 'i', 'o', 'u':
		return false
	case 'y':
		return i == 0 || !b.consonant(i-1)
	}
	return true
}

func (b stemBytes) vowel() bool {
	for i := range b {
		if !b.consonant(i) {
			return true
		}
	}
	return false
}

// measure counts the changes from vowel to consonant.
func (b stemBytes) measure() int {
	n, before := 0, true
	for i := range b {
		c := b.consonant(i)
		if c && !before {
			n++
		}
		before = c
	}
	return n
}

func (b stemBytes) double() bool {
	n := len(b)
	return n > 1 && b[n-1] == b[n-2] && b.consonant(n-1)
}

func (b stemBytes) cvc() bool {
	n := len(b)
	if n < 3 || !b.consonant(n-1) || b.consonant(n-2) || !b.consonant(n-3) {
		return false
	}
	c := b[n-1]
	return c != 'w' && c != 'x' && c != 'y'
}
