package terminal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"recall/sink"
	"recall/text"
)

// Output is a stream that people and agents read: what is on its way there passes
// sink.Page, whoever forgot to clean a text before. It remembers that a write
// failed: a list that was cut off by a full disk must not look like a whole one.
type Output struct {
	W     io.Writer
	Color bool    // recall's own colours pass
	After *Output // if that is paged, what is said here goes there too, in order
	err   error   // of the first write that failed
	pager *pager
	rest  []byte // the beginning of a character whose end is still to come
}

// colours are those of styles.
var colours = text.Pattern(`\x1b\[(?:[012]|3[123])m`)

func (o *Output) Write(p []byte) (int, error) {
	text := append(o.rest, p...)
	whole := len(text)
	for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
		if b := text[len(text)-i]; utf8.RuneStart(b) {
			if !utf8.FullRune(text[len(text)-i:]) {
				whole = len(text) - i
			}
			break
		}
	}
	o.rest = append([]byte(nil), text[whole:]...)
	return len(p), o.put(string(text[:whole]))
}

func (o *Output) put(text string) error {
	var b strings.Builder
	for o.Color && text != "" {
		at := colours().FindStringIndex(text)
		if at == nil {
			break
		}
		b.WriteString(sink.Page(text[:at[0]], sink.Terminal))
		b.WriteString(text[at[0]:at[1]])
		text = text[at[1]:]
	}
	b.WriteString(sink.Page(text, sink.Terminal))
	to := o.W
	switch {
	case o.pager != nil:
		to = o.pager
	case o.After != nil && o.After.pager != nil && o.After.pager.cmd != nil && IsTerminal(o):
		to = o.After.pager
	}
	_, err := io.WriteString(to, b.String())
	if o.err == nil && !errors.Is(err, ErrSeen) {
		o.err = err
	}
	return err
}

// End writes what was waited for, and returns the first error.
func (o *Output) End() error {
	if len(o.rest) > 0 {
		o.put(string(o.rest))
		o.rest = nil
	}
	if o.pager != nil {
		if err := o.pager.close(); o.err == nil {
			o.err = err
		}
		o.pager = nil
	}
	return o.err
}

// Own is the stream itself, as another program should get it.
func Own(w io.Writer) io.Writer {
	if o, ok := w.(*Output); ok {
		return o.W
	}
	return w
}

// Presentable is a copy of a document as it may be printed: lists are there, perhaps
// empty, and fields tagged show:"path" are as ShownPath has them.
func Presentable(v reflect.Value, path bool) reflect.Value {
	switch v.Kind() {
	case reflect.String:
		if path {
			shown := reflect.New(v.Type()).Elem()
			shown.SetString(ShownPath(v.String()))
			return shown
		}
	case reflect.Pointer:
		if !v.IsNil() {
			c := reflect.New(v.Type().Elem())
			c.Elem().Set(Presentable(v.Elem(), path))
			return c
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return v
		}
		c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			c.Index(i).Set(Presentable(v.Index(i), path))
		}
		return c
	case reflect.Struct:
		c := reflect.New(v.Type()).Elem()
		c.Set(v)
		for i := range v.NumField() {
			f := v.Type().Field(i)
			omitted := v.Field(i).IsZero() && strings.Contains(f.Tag.Get("json"), ",omit")
			if f.IsExported() && !omitted {
				c.Field(i).Set(Presentable(v.Field(i), f.Tag.Get("show") == "path"))
			}
		}
		return c
	}
	return v
}

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
