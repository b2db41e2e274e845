package main

import (
	"io"
	"os"

	"golang.org/x/term"
)

// isTerminal reports whether w is a person's screen rather than a file or pipe.
func isTerminal(w io.Writer) bool {
	f, ok := own(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// colorOn reports whether to colour what goes to w: on a terminal, and not under
// NO_COLOR (https://no-color.org: any non-empty value).
func colorOn(w io.Writer) bool {
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// width is how many columns w has: the terminal's, at least 40 and at most 128,
// else 100.
func width(w io.Writer) int {
	if f, ok := own(w).(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return max(40, min(n, 128))
		}
	}
	return 100
}

// Styles of the terminal, empty strings where colour is off.
type style struct{ bold, dim, green, red, yellow, reset string }

func styles(on bool) style {
	if !on {
		return style{}
	}
	return style{"\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[0m"}
}
