package terminal

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"

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

// pieces cuts a word with wide letters that doesn't fit into so many columns where
// Unicode's rules let a line break: marks that close stay with the letter before.
func pieces(word string, room int) []string {
	if Columns(word) <= room || !strings.ContainsFunc(word, func(r rune) bool { return Columns(string(r)) == 2 }) {
		return []string{word}
	}
	var out []string
	for piece, rest, state := "", word, -1; rest != ""; out = append(out, piece) {
		piece, rest, _, state = uniseg.FirstLineSegmentInString(rest, state)
	}
	return out
}

// Columns is how many columns a text takes on a terminal.
func Columns(s string) int { return uniseg.StringWidth(s) }
