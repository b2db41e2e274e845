package redact

import "strings"

// Classes of bytes, as bits.
const (
	lower uint16 = 1 << iota
	upper
	digit
	under   // _ and -
	marks   // . = + / ~
	blank   // space and tab
	hexa    // 0-9 a-f A-F
	other   // : @ | %: in tokens of a few kinds
	inName  // what can stand between a name and its operator, as in gitleaks
	gap     // blanks, line ends and quotes, also a backslash before a quote
	lead    // what can stand between an operator and a value
	closers // marks that can end a password as well as a sentence
	mark    // of a word that may be a password
	inside  // of those, what seldom stands within words

	letter = lower | upper
	alnum  = letter | digit
	word   = alnum | under
	token  = word | marks | other
)

var classes = func() (t [256]uint16) {
	for c := range 256 {
		b := byte(c)
		switch {
		case b >= 'a' && b <= 'z':
			t[c] = lower
		case b >= 'A' && b <= 'Z':
			t[c] = upper
		case b >= '0' && b <= '9':
			t[c] = digit | hexa
		}
		if b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F' {
			t[c] |= hexa
		}
	}
	set := func(chars string, class uint16) {
		for i := range len(chars) {
			t[chars[i]] |= class
		}
	}
	set("_-", under)
	set(".=+/~", marks)
	set(" \t", blank)
	set(":@|%", other)
	set("_-. \t", inName)
	set(" \t\r\n'\"\\", gap)
	set(" \t\r\n'\"\\`=", lead)
	set("!?", closers)
	set("_-!#$^*?&%@+=~./", mark)
	set("!#$^*&%@", inside)
	for c := range t {
		if t[c]&alnum != 0 {
			t[c] |= inName | mark
		}
	}
	return t
}()

func is(c byte, class uint16) bool { return classes[c]&class != 0 }

// wordChar reports whether c matches \w: a letter, a digit or an underscore.
func wordChar(c byte) bool { return classes[c]&alnum != 0 || c == '_' }

// run returns the first position from at, at most most bytes on, whose byte is neither of the class nor in chars.
func run(text string, at int, class uint16, chars string, most int) int {
	end := min(len(text), at+most)
	for at < end && (is(text[at], class) || strings.IndexByte(chars, text[at]) >= 0) {
		at++
	}
	return at
}

// skip returns the first position from at, at most most bytes on, whose byte isn't of the class.
func skip(text string, at int, class uint16, most int) int {
	end := min(len(text), at+most)
	for at < end && is(text[at], class) {
		at++
	}
	return at
}
