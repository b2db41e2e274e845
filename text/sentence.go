package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences cuts a line where a full stop, question or exclamation mark and a blank
// end a sentence. In casual writing a small letter may begin one.
func Sentences(line string, casual bool) []string {
	var out []string
	from := 0
	for i := 0; i+2 < len(line); i++ {
		if strings.IndexByte(".!?", line[i]) < 0 || line[i+1] != ' ' {
			continue
		}
		if next, _ := utf8.DecodeRuneInString(line[i+2:]); casual || !unicode.IsLower(next) {
			out = append(out, strings.TrimSpace(line[from:i+1]))
			from = i + 1
		}
	}
	return append(out, strings.TrimSpace(line[from:]))
}
