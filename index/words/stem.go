package words

import "strings"

// Stem is the Porter (1980) stemmer as SQLite's FTS5 has it: words of 3 to 64
// bytes; anything but a, e, i, o, u and y counts as a consonant. A test holds
// it against FTS5's own.
func Stem(w string) string {
	if len(w) < 3 || len(w) > 64 {
		return w
	}
	b := step1(stemBytes(w))
	b = replace(b, step2, 0)
	b = replace(b, step3, 0)
	b = step4(b)
	return string(step5(b))
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

var step2 = [][2]string{{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"}, {"logi", "log"}, {"bli", "ble"}, {"alli", "al"}, {"entli", "ent"}, {"eli", "e"}, {"ousli", "ous"}, {"ization", "ize"}, {"ation", "ate"}, {"ator", "ate"}, {"alism", "al"}, {"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"}, {"iviti", "ive"}, {"biliti", "ble"}}
var step3 = [][2]string{{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""}}
var suffixes4 = []string{"al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti", "ous", "ive", "ize"}

func replace(b stemBytes, rules [][2]string, more int) stemBytes {
	for _, r := range rules {
		if b.has(r[0]) {
			if st := b[:len(b)-len(r[0])]; st.measure() > more {
				return append(st, r[1]...)
			}
			return b
		}
	}
	return b
}

func step4(b stemBytes) stemBytes {
	for _, s := range suffixes4 {
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

func (b stemBytes) has(s string) bool { return len(b) > len(s) && strings.HasSuffix(string(b), s) }

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
