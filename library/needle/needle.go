// Package needle finds a text in files, however it is encoded there.
package needle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
)

// Needles are the forms in which a text can appear in files: as it is, in a JSON string, and in a JSON string within
// one.
type Needles struct {
	forms [][]byte
	most  int  // length of the longest form
	fold  bool // the forms are in lower case, and match without regard to case
}

// New returns the forms of a text; the error is for a text too short to look for.
func New(text string) (*Needles, error) {
	if len(strings.TrimSpace(text)) < 4 {
		return nil, fmt.Errorf("%q is too short to look for: give at least four characters", text)
	}
	n := &Needles{}
	add := func(form string) {
		if b := []byte(form); !slices.ContainsFunc(n.forms, func(o []byte) bool { return bytes.Equal(o, b) }) {
			n.forms = append(n.forms, b)
			n.most = max(n.most, len(b))
		}
	}
	add(text)
	form := []string{text}
	for range 2 { // strings within strings
		var next []string
		for _, f := range form {
			for _, escape := range []func(string) string{jsonText, jsonHTMLText, asciiText} {
				add(escape(f))
				next = append(next, escape(f))
			}
		}
		form = next
	}
	return n, nil
}

// Folded returns needles that ignore case.
func (n *Needles) Folded() *Needles {
	folded := &Needles{most: n.most, fold: true}
	for _, f := range n.forms {
		folded.forms = append(folded.forms, bytes.ToLower(f))
	}
	return folded
}

func jsonText(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(s) // encoding a string into memory can't fail
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`)
}

func jsonHTMLText(s string) string {
	b, _ := json.Marshal(s) // encoding a string can't fail
	return string(b[1 : len(b)-1])
}

// asciiText escapes like writers that keep to ASCII.
func asciiText(s string) string {
	var b strings.Builder
	for _, r := range jsonText(s) {
		if r < 0x80 {
			b.WriteRune(r)
			continue
		}
		for _, u := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, u)
		}
	}
	return b.String()
}

// In reports whether data contains the text; false for nil.
func (n *Needles) In(data []byte) bool {
	if n == nil {
		return false
	}
	if n.fold {
		data = bytes.ToLower(data)
	}
	return slices.ContainsFunc(n.forms, func(f []byte) bool { return bytes.Contains(data, f) })
}

// InStream is In for the whole stream.
func (n *Needles) InStream(r io.Reader) (bool, error) {
	buf := make([]byte, 0, 512<<10)
	for {
		keep := min(len(buf), n.most-1)
		copy(buf, buf[len(buf)-keep:])
		m, err := io.ReadFull(r, buf[keep:cap(buf)])
		buf = buf[:keep+m]
		if n.In(buf) {
			return true, nil
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
}
