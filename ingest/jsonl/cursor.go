package jsonl

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Reasons why JSON can't be read.
var (
	ErrSyntax = errors.New("not JSON")
	ErrCut    = errors.New("JSON that ends too early")
	ErrDeep   = errors.New("JSON nested more than 10,000 levels deep")
)

// A Cursor walks over JSON in one pass. Its methods are called before a value and leave the cursor behind it; after the
// first error (see Err) they do nothing.
type Cursor struct {
	b   []byte
	in  *jsontext.Decoder
	err error
}

// NewCursor returns a cursor at the beginning of b, which must not change while it is in use.
func NewCursor(b []byte) *Cursor {
	return &Cursor{b: b, in: decoder(b)}
}

func decoder(b []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(b), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// Err returns the first error that the cursor encountered.
func (c *Cursor) Err() error { return c.err }

// Rest returns what follows the last value, without leading space; it isn't nil.
func (c *Cursor) Rest() []byte {
	rest := bytes.TrimLeft(c.b[c.in.InputOffset():], " \t\r\n")
	return c.b[len(c.b)-len(rest):]
}

// Kind returns the first byte of the next value: one of {["tfn0, with 0 for any number; 0 at the end or if it isn't a
// value.
func (c *Cursor) Kind() byte {
	if c.err != nil {
		return 0
	}
	switch k := byte(c.in.PeekKind()); k {
	case '{', '[', '"', 't', 'f', 'n', '0':
		return k
	}
	return 0
}

// Object calls member with the raw name of each member, whose value it can read or leave. Another kind of value is
// skipped, and Object returns false.
func (c *Cursor) Object(member func(name []byte)) bool {
	return c.each('{', func() {
		if name := c.RawString(); c.err == nil {
			at := c.in.InputOffset()
			if member(name); c.in.InputOffset() == at {
				c.Skip()
			}
		}
	})
}

// Array does the same with element for each element.
func (c *Cursor) Array(element func()) bool {
	return c.each('[', func() {
		at := c.in.InputOffset()
		if element(); c.in.InputOffset() == at {
			c.Skip()
		}
	})
}

// each calls one for each part of an object or array.
func (c *Cursor) each(open byte, one func()) bool {
	if c.Kind() != open {
		c.Skip()
		return false
	}
	c.token()
	for end := jsontext.Kind(open + 2); c.err == nil && c.in.PeekKind() != end; { // '{'+2 is '}', '['+2 is ']'
		one()
	}
	c.token()
	return c.err == nil
}

func (c *Cursor) token() {
	if c.err == nil {
		_, err := c.in.ReadToken()
		c.fail(err)
	}
}

// Skip moves past the next value.
func (c *Cursor) Skip() {
	if c.err == nil {
		c.fail(c.in.SkipValue())
	}
}

// Raw skips a value and returns it as written.
func (c *Cursor) Raw() []byte {
	if c.err != nil {
		return nil
	}
	v, err := c.in.ReadValue()
	c.fail(err)
	return v[:len(v):len(v)]
}

// RawString returns the content of a string with its escapes (see Unquote); nil for another kind of value.
func (c *Cursor) RawString() []byte {
	if c.Kind() != '"' {
		c.Skip()
		return nil
	}
	v := c.Raw()
	if c.err != nil {
		return nil
	}
	return v[1 : len(v)-1 : len(v)-1]
}

func (c *Cursor) fail(err error) {
	switch {
	case err == nil:
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		c.err = ErrCut
	case strings.Contains(err.Error(), "max depth"):
		c.err = ErrDeep
	default:
		c.err = ErrSyntax
	}
}

// String reads a string as text; "" if the value is something else.
func (c *Cursor) String() string {
	return Unquote(c.RawString())
}

// Escaped is the content of a string as written, with its escapes; Unquote converts it to text.
type Escaped []byte

// Fields are wanted members of an object, by name. A pointer to a string, number, bool, Escaped, raw value or list of
// strings receives the value; Fields read the members of an object in it; a func is called before the value, and a List
// before each element of an array.
type Fields map[string]any // *string, *int64, *bool, *Escaped, *[]byte, *[]string, Fields, List, func()

// A List is called before each element of an array.
type List func(c *Cursor)

// ReadFields reads members of an object; see Cursor.Fields.
func ReadFields(raw []byte, into Fields) bool { return NewCursor(raw).Fields(into) }

// Fields reads an object. Into a string it also reads numbers and bools, but not objects or arrays; a bool is also true
// for "true" and 1. Another kind of value is skipped, and Fields returns false.
func (c *Cursor) Fields(into Fields) bool {
	return c.Object(func(name []byte) {
		switch v := into[string(name)].(type) {
		case *string:
			if k := c.Kind(); k != '{' && k != '[' {
				*v = c.Text()
			}
		case *int64:
			*v = c.Int()
		case *bool:
			switch string(c.Raw()) {
			case `true`, `"true"`, `1`, `"1"`:
				*v = true
			default:
				*v = false
			}
		case *Escaped:
			*v = c.RawString()
		case *[]byte:
			*v = c.Raw()
		case *[]string:
			c.Array(func() { *v = append(*v, c.Text()) })
		case Fields:
			c.Fields(v)
		case List:
			c.Array(func() { v(c) })
		case func():
			v()
		}
	})
}

// Int reads an integer, also as a string or with a fraction of zeros; anything else gives 0.
func (c *Cursor) Int() int64 {
	text := strings.Trim(string(c.Raw()), `"`)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != f || f > 1<<62 || f < -1<<62 {
		return 0
	}
	return int64(f)
}

// Text reads any value as text: a string's content, else the JSON as written; null gives "".
func (c *Cursor) Text() string {
	switch c.Kind() {
	case '"':
		return c.String()
	case 'n':
		c.Skip()
		return ""
	}
	return string(c.Raw())
}

// Unquote converts the content of a JSON string to text: escapes are resolved, invalid UTF-8 and lone surrogates
// replaced by U+FFFD, NULs removed.
func Unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return clean(string(raw))
	}
	quoted := append(append(append(make([]byte, 0, len(raw)+2), '"'), raw...), '"')
	out, _ := jsontext.AppendUnquote(make([]byte, 0, len(raw)), quoted) // the error is about invalid UTF-8
	return clean(string(out))
}

// Strings returns the strings in a value, a line each.
func Strings(raw []byte) string {
	var all []string
	for in := decoder(raw); ; {
		t, err := in.ReadToken()
		if err != nil {
			return strings.Join(all, "\n")
		}
		if t.Kind() == '"' {
			all = append(all, clean(t.String()))
		}
	}
}

// clean removes NULs and invalid UTF-8 from s, which are rare.
func clean(s string) string {
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "")
	}
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}
