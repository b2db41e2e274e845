// Package tokens estimates how many tokens a text has. Anthropic publishes no vocabulary, and a budget only needs a
// fast, reproducible count of the right magnitude.
package tokens

import (
	"unicode/utf8"

	"recall/internal/text"
)

// longWord is the length from which a run of letters is no word of any language.
const longWord = 24

// Count returns roughly how many tokens s has: for English and German payloads 1.1 to 1.2 times the count of
// o200k_base, the largest public vocabulary, and for source code up to 1.4 times; for capitals, and for languages
// rare there, perhaps three quarters.
func Count(s string) int {
	n := 0
	for i := 0; i < len(s); {
		c := s[i]
		j := i + 1
		switch {
		case c >= utf8.RuneSelf:
			_, size := utf8.DecodeRuneInString(s[i:])
			j = i + size
			switch size {
			case 2: // Greek, Cyrillic, Hebrew: a run is a word; a lone ä counts by itself
				for j+1 < len(s) && s[j] >= 0xc2 && s[j] < 0xe0 {
					j += 2
				}
				n += ((j-i)/2 + 2) / 3
			case 4:
				n += 3
			default:
				n++ // a Chinese character, for example
			}
		case text.Letter(c):
			for j < len(s) && text.Letter(s[j]) && !(upper(s[j]) && !upper(s[j-1])) {
				j++
			}
			if i > 0 && digit(s[i-1]) || j < len(s) && digit(s[j]) { // part of an id
				n += (j - i + 2) / 2
			} else if j-i > longWord { // base64, or an alphabet
				n += (j-i)*2/3 + 1
			} else {
				n += 1 + (j-i-1)/6
			}
		case digit(c):
			for j < len(s) && digit(s[j]) {
				j++
			}
			n += (j - i + 2) / 3
		case c == ' ':
			if j < len(s) && s[j] == ' ' {
				n++
			}
		default:
			n++
		}
		i = j
	}
	return n
}

func upper(c byte) bool { return c >= 'A' && c <= 'Z' }
func digit(c byte) bool { return c >= '0' && c <= '9' }
