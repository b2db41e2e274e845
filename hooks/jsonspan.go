package hooks

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// A span is a JSON value with the place where it stands, so that a file can be
// changed in one place and stay byte for byte as it is everywhere else.
// Comments, which some editors leave in settings, count as white space.
type span struct {
	from, to int  // bytes of the text
	kind     byte // '{', '[', '"', or the first byte of anything else
	members  []member
	elems    []*span
}

type member struct {
	key   string
	from  int // of the key
	value *span
}

// last is the member that counts: of equal keys the last one does.
func (s *span) last(key string) *span {
	for i := len(s.members) - 1; i >= 0; i-- {
		if s.members[i].key == key {
			return s.members[i].value
		}
	}
	return nil
}

// errShape is a text that isn't what it should be, with the line where it isn't.
type errShape struct {
	line int
	what string
}

func (e *errShape) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.what) }

// spans reads a JSON text.
func spans(text []byte) (*span, error) {
	skip := len(bom(text))
	if !utf8.Valid(text) {
		return nil, errors.New("it isn't UTF-8")
	}
	if tooDeep(text) {
		return nil, wrongAt(text, 0, "nested too deep")
	}
	root, err := hujson.Parse(text[skip:])
	if err != nil {
		e := &errShape{line: 1}
		fmt.Sscanf(err.Error(), "hujson: line %d,", &e.line)
		_, e.what, _ = strings.Cut(err.Error(), ": line ")
		_, e.what, _ = strings.Cut(e.what, ": ")
		return nil, e
	}
	return spanOf(text, root, skip)
}

// tooDeep reports whether a text is nested deeper than any settings, as a parser that
// calls itself would find out too late. Brackets in strings count too.
func tooDeep(text []byte) bool {
	const deepest = 1000
	depth := 0
	for _, c := range text {
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if depth > deepest {
			return true
		}
	}
	return false
}

// spanOf is where a value stands in a text, behind so many bytes. A comma with nothing
// behind it, which the parser takes, isn't JSON.
func spanOf(text []byte, v hujson.Value, skip int) (*span, error) {
	s := &span{from: v.StartOffset + skip, to: v.EndOffset + skip, kind: text[v.StartOffset+skip]}
	var last *hujson.Value
	var err error
	switch of := v.Value.(type) {
	case *hujson.Object:
		for i := range of.Members {
			m := &of.Members[i]
			last = &m.Value
			one := member{key: m.Name.Value.(hujson.Literal).String(), from: m.Name.StartOffset + skip}
			if one.value, err = spanOf(text, m.Value, skip); err != nil {
				return nil, err
			}
			s.members = append(s.members, one)
		}
	case *hujson.Array:
		for i := range of.Elements {
			last = &of.Elements[i]
			one, err := spanOf(text, *last, skip)
			if err != nil {
				return nil, err
			}
			s.elems = append(s.elems, one)
		}
	}
	if last != nil && last.AfterExtra != nil {
		if rest := text[last.EndOffset+skip : s.to-1]; bytes.HasPrefix(rest[len(last.AfterExtra):], []byte(",")) {
			return nil, wrongAt(text, s.to-1, "a comma with nothing behind it")
		}
	}
	return s, nil
}

func bom(text []byte) []byte {
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		return text[:3]
	}
	return nil
}

func wrongAt(text []byte, at int, what string) error {
	return &errShape{1 + bytes.Count(text[:min(at, len(text))], []byte("\n")), what}
}
