// Package terminal is what a person sees: width, colours, wrapped lines, progress, an item's and an answer's lines on
// the page, errors with the way out of them. What goes out passes package sink. It knows no command.
package terminal

import (
	"io"
	"os"

	"golang.org/x/term"
)

// IsTerminal reports whether w is a person's screen rather than a file or pipe.
func IsTerminal(w io.Writer) bool {
	f, ok := Own(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// ColorOn reports whether to colour what goes to w: on a terminal, and not under
// NO_COLOR (https://no-color.org: any non-empty value).
func ColorOn(w io.Writer) bool {
	return IsTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// Width is how many columns w has: the terminal's, at least 40 and at most 128,
// else 100.
func Width(w io.Writer) int {
	if f, ok := Own(w).(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return max(40, min(n, 128))
		}
	}
	return 100
}

// Styles of the terminal, empty strings where colour is off.
type Style struct{ Bold, Dim, Green, Red, Yellow, Reset string }

func Styles(on bool) Style {
	if !on {
		return Style{}
	}
	return Style{"\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[0m"}
}
