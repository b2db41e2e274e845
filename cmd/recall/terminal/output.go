package terminal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"reflect"
	"runtime"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"recall/internal/escape"
	"recall/internal/text"
)

// Output is a stream that people and agents read. Everything written passes through escape.Page, in case a caller
// forgot to clean a text. It remembers a failed write: a list cut off by a full disk must not look complete.
type Output struct {
	W     io.Writer
	Color bool    // let recall's own colours through
	After *Output // if it is paged, this output goes to its pager too, in order
	err   error   // of the first failed write
	pager *pager
	rest  []byte // an incomplete UTF-8 sequence
}

// colours matches the escape sequences of Style.
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
		b.WriteString(escape.Page(text[:at[0]], escape.Terminal))
		b.WriteString(text[at[0]:at[1]])
		text = text[at[1]:]
	}
	b.WriteString(escape.Page(text, escape.Terminal))
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

// End flushes an incomplete character, closes the pager and returns the first error.
func (o *Output) End() error {
	if len(o.rest) > 0 {
		o.put(string(o.rest))
		o.rest = nil
	}
	if o.pager != nil {
		o.pager.close()
		o.pager = nil
	}
	return o.err
}

// Own returns the underlying stream, to hand to another program.
func Own(w io.Writer) io.Writer {
	if o, ok := w.(*Output); ok {
		return o.W
	}
	return w
}

// Presentable returns a copy of a document for printing: nil lists become empty ones, and fields tagged show:"path" go
// through ShownPath.
func Presentable(v reflect.Value, path bool) reflect.Value {
	switch v.Kind() {
	case reflect.String:
		if path {
			shown := reflect.New(v.Type()).Elem()
			shown.SetString(ShownPath(v.String()))
			return shown
		}
	case reflect.Interface:
		if err, ok := v.Interface().(error); ok && path {
			return reflect.ValueOf(errors.New(ShownPath(err.Error())))
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

// A Draft is preliminary output on a terminal that is replaced when the final text is ready.
type Draft struct {
	W    io.Writer
	text string // shown above the note; "" if nothing is shown
}

// Drafts reports whether text on w can be replaced.
func Drafts(w io.Writer) bool { return IsTerminal(w) && os.Getenv("TERM") != "dumb" }

// Show prints a text and, on the line below it, a note on what is still to come.
func (d *Draft) Show(text, note string) {
	d.text = text
	fmt.Fprint(d.W, text, note)
}

// Stay erases the note and keeps the text.
func (d *Draft) Stay() {
	if d.text != "" {
		d.move("\r\x1b[K")
	}
}

// Become replaces the shown text, or prints below it if it is taller than the screen.
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

// move writes escape sequences that Output would filter out.
func (d *Draft) move(to string) { io.WriteString(Own(d.W), to) }

// rows returns how many screen rows the text takes; 0 if it doesn't fit on the screen.
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

// ErrSeen is returned for output after the person quit the pager: they have seen enough.
var ErrSeen = errors.New("the pager was left")

// pager runs the person's pager between recall and the screen, as git does: PAGER, else less; on Windows only PAGER,
// because more garbles anything that isn't ASCII.
type pager struct {
	screen io.Writer
	words  []string
	cmd    *exec.Cmd // nil until something is written
	in     io.WriteCloser
	ended  bool // it accepts no more input
}

// Paged sends output from now on through the person's pager, if w is a terminal.
func Paged(w io.Writer) {
	o, ok := w.(*Output)
	if !ok || !Drafts(o) || os.Getenv("TERM") == "" && runtime.GOOS != "windows" {
		return
	}
	words := strings.Fields(os.Getenv("PAGER"))
	if _, set := os.LookupEnv("PAGER"); !set && runtime.GOOS != "windows" {
		words = []string{"less"}
	}
	if len(words) == 0 || words[0] == "cat" {
		return
	}
	if _, err := exec.LookPath(words[0]); err == nil {
		o.pager = &pager{screen: o.W, words: words}
	}
}

func (p *pager) Write(b []byte) (int, error) {
	if p.cmd == nil {
		if err := p.start(); err != nil {
			return 0, err
		}
	}
	if !p.ended {
		if _, err := p.in.Write(b); err != nil {
			p.close()
		}
	}
	if p.ended {
		return 0, ErrSeen
	}
	return len(b), nil
}

func (p *pager) start() error {
	p.cmd = exec.Command(p.words[0], p.words[1:]...)
	p.cmd.Stdout, p.cmd.Stderr = p.screen, os.Stderr
	p.cmd.Env = os.Environ()
	// Without a locale, as in a container, less would show each non-ASCII letter as <E2><80><A6>.
	for name, preset := range map[string]string{"LESS": "FRX", "LV": "-c", "LESSCHARSET": "utf-8"} {
		if _, set := os.LookupEnv(name); !set {
			p.cmd.Env = append(p.cmd.Env, name+"="+preset)
		}
	}
	var err error
	if p.in, err = p.cmd.StdinPipe(); err == nil {
		err = p.cmd.Start()
	}
	if p.ended = err != nil; !p.ended {
		signal.Ignore(os.Interrupt) // Ctrl-C is for the pager
	}
	return err
}

// close waits until the person quits the pager, which says itself what is wrong with how it was called.
func (p *pager) close() {
	if p.cmd == nil || p.ended {
		return
	}
	p.ended = true
	p.in.Close()
	_ = p.cmd.Wait() // most exit codes mean no failure
	signal.Reset(os.Interrupt)
}
