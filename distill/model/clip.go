package model

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"recall/internal/text"
)

// clip shortens a text to at most most bytes: its beginning and its end.
func clip(text string, most int) string {
	text = strings.TrimSpace(text)
	if len(text) <= most {
		return text
	}
	return cutAt(text, most*3/5) + "\n[…]\n" + text[startOf(text, len(text)-most/4):]
}

// maxListed is how many lines of a listing in an assistant's message are shown.
const maxListed = 6

// listings cuts fenced code blocks to their first lines.
func listings(text string) string {
	var b strings.Builder
	lines, in := 0, false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			in, lines = !in, 0
		} else if lines++; in && lines > maxListed {
			if lines == maxListed+1 {
				b.WriteString("[…]\n")
			}
			continue
		}
		b.WriteString(line)
	}
	return b.String()
}

// cutAt returns at most the first n bytes of a text, ending at a line or word boundary if one is near.
func cutAt(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	for _, sep := range []string{"\n", " "} {
		if i := strings.LastIndex(text[:n], sep); i > n*3/4 {
			return text[:i]
		}
	}
	return text[:n]
}

// startOf moves an index forward to the start of a line or word if one is near.
func startOf(text string, i int) int {
	for i < len(text) && !utf8.RuneStart(text[i]) {
		i++
	}
	for _, sep := range []string{"\n", " "} {
		if k := strings.Index(text[i:], sep); k >= 0 && k < (len(text)-i)/4 {
			return i + k + 1
		}
	}
	return i
}

// oneLine puts a text on one line of at most n bytes, keeping its beginning.
func oneLine(s string, n int) string {
	if len(s) > 4*n {
		s = cutAt(s, 4*n)
	}
	s = text.OneLine(visible(s))
	if len(s) <= n {
		return s
	}
	return cutAt(s, n) + "…"
}

// visible removes what a reader doesn't see but a model might: control characters, zero-width and bidirectional
// characters, tags. Every kind of line ending becomes a newline.
func visible(text string) string {
	if !strings.ContainsFunc(text, hidden) {
		return text
	}
	return strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune("\r\v\f\u0085\u2028\u2029", r):
			return '\n'
		case hidden(r):
			return -1
		}
		return r
	}, strings.ReplaceAll(text, "\r\n", "\n"))
}

func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r == 0x2028 || r == 0x2029 || r == utf8.RuneError:
		return true
	case r >= 0xE0000 && r <= 0xE0FFF:
		return true
	case r == 0x200C || r == 0x200D:
		return false // joins letters and emoji
	}
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Cc, r)
}
