package offline

import (
	"testing"
)

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"as it is":                       "as it is",
		" two  blanks\tand\r\n\flines\n": "two blanks and lines",
		"**Bold** and *soft* [link](x)":  "Bold and soft link",
		"✅ done":                         "done",
	} {
		if got := plain(text); got != want {
			t.Errorf("plain(%q): got %q, want %q", text, got, want)
		}
	}
}

// A line of code or of output is pasted; a sentence that begins with the same word isn't.
func TestLooksPasted(t *testing.T) {
	for line, want := range map[string]bool{
		"import the members of both clubs, old numbers stay": false,
		"at the moment nothing is shown":                     false,
		"func of the month: sort the list by it":             false,
		"import os":                                          true,
		`import React from "react"`:                          true,
		"at Object.show (/w/page.js:12:3)":                   true,
		"func main() int":                                    true,
		"$ make test":                                        true,
		"yes.  B it is.  the menu too.  all by tonight.  ok": false,
		"1.A   2. like the old one   3. B   4. both":         false,
		"NAME    READY  AGE\nweb-1   1/1  3d":                true,
		"drwxr-xr-x  2 ann  64 src\n-rw-r--r--  1 ann  8 go": true,
	} {
		if got := looksPasted(line); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}
