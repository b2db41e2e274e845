package terminal

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"recall/sink"
)

// Line is text from elsewhere as a line for the terminal.
func Line(s string) string { return sink.Line(s, sink.Terminal) }

// Visible is Line over several lines.
func Visible(s string) string { return sink.Text(s, sink.Terminal) }

// Narrow is the width under which what is one line elsewhere is wrapped: there a
// terminal would break it within a word.
const Narrow = 60

// SayLine writes a line, over several where there is little room: the first after
// first, the others after rest.
func SayLine(w io.Writer, width int, first, rest, text string) {
	if width >= Narrow {
		fmt.Fprintf(w, "%s%s\n", first, text)
		return
	}
	for _, line := range Wrap(text, width-max(utf8.RuneCountInString(first), utf8.RuneCountInString(rest))) {
		fmt.Fprintf(w, "%s%s\n", first, line)
		first = rest
	}
}

// Wrap breaks text into lines of at most n columns: at spaces, and where letters
// are two columns wide, as Chinese and Japanese are, anywhere between these. A
// longer word has a line of its own.
func Wrap(text string, n int) []string {
	n = max(n, 20)
	var lines []string
	line, length := "", 0
	for _, word := range strings.Fields(text) {
		space := 0
		if line != "" {
			space = 1
		}
		for i, piece := range pieces(word, n-length-space) {
			w := Columns(piece)
			if i > 0 {
				space = 0
			}
			switch {
			case line == "":
				line, length = piece, w
			case length+space+w > n:
				lines = append(lines, line)
				line, length = piece, w
			default:
				line += strings.Repeat(" ", space) + piece
				length += space + w
			}
		}
	}
	if line != "" || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}

// pieces cuts a word that doesn't fit into so many columns at its wide letters. A
// mark that closes stays with the letter before.
func pieces(word string, room int) []string {
	if Columns(word) <= room || !strings.ContainsFunc(word, wide) {
		return []string{word}
	}
	var out []string
	cut := true
	for _, r := range word {
		switch isWide := wide(r); {
		case len(out) > 0 && strings.ContainsRune("、。，．！？：；」』）】〉》”’…)]}.,;:!?\"", r):
			out[len(out)-1] += string(r)
			cut = isWide
			continue
		case len(out) == 0 || cut || isWide:
			if n := len(out); n > 0 && strings.ContainsAny(out[n-1], "「『（【〈《“‘") && utf8.RuneCountInString(out[n-1]) == 1 {
				out[n-1] += string(r)
			} else {
				out = append(out, string(r))
			}
			cut = isWide
		default:
			out[len(out)-1] += string(r)
		}
	}
	return out
}

// wide reports whether a terminal gives a letter two columns.
func wide(r rune) bool {
	return r >= 0x1100 && (unicode.In(r, unicode.Han, unicode.Hangul) || r >= 0x3000 && r <= 0x33ff && r != 0x303f || r >= 0xff01 && r <= 0xff60 || r >= 0x1f300 && r <= 0x1faff)
}

// Columns is how many columns a text takes on a terminal.
func Columns(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Mn, r):
		case wide(r):
			n += 2
		default:
			n++
		}
	}
	return n
}
