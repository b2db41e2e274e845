package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// A Draft is what stands on a person's screen until what takes its place is there.
type Draft struct {
	W    io.Writer
	text string // what is shown above the note; "" for nothing
}

// Drafts reports whether what stands on w can be replaced.
func Drafts(w io.Writer) bool { return IsTerminal(w) && os.Getenv("TERM") != "dumb" }

// Show shows a text and, in the line below it, what is waited for.
func (d *Draft) Show(text, note string) {
	d.text = text
	fmt.Fprint(d.W, text, note)
}

// Stay takes the note away, and leaves the text.
func (d *Draft) Stay() {
	if d.text != "" {
		d.move("\r\x1b[K")
	}
}

// Become puts a text in the place of what is shown, or below it where that doesn't fit
// the screen.
func (d *Draft) Become(text string) {
	d.Stay()
	if text == d.text {
		return
	}
	if d.text != "" {
		if up := d.rows(); up > 0 {
			d.move(fmt.Sprintf("\x1b[%dA\x1b[J", up))
		} else {
			fmt.Fprintln(d.W)
		}
	}
	fmt.Fprint(d.W, text)
}

// move writes what Output lets nobody else write.
func (d *Draft) move(to string) { io.WriteString(Own(d.W), to) }

// rows is how many rows of the screen the text takes; 0 if not all of them are on it.
func (d *Draft) rows() (n int) {
	f, ok := Own(d.W).(*os.File)
	if !ok {
		return 0
	}
	width, height, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		return 0
	}
	for line := range strings.Lines(d.text) {
		line = colours().ReplaceAllString(strings.TrimSuffix(line, "\n"), "")
		n += max(1, (Columns(line)+width-1)/width)
	}
	if n >= height {
		return 0
	}
	return n
}
