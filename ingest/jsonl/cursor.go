package jsonl

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Reasons why JSON can't be read.
var (
	ErrSyntax = errors.New("not JSON")
	ErrCut    = errors.New("JSON that ends too early")
	ErrDeep   = errors.New("JSON nested more than 10,000 levels deep")
)

const maxDepth = 10_000

// A Cursor walks over JSON in one pass. Its methods are called before a value and leave the cursor behind it; after the
// first error (see Err) they do nothing. Control characters in strings and unknown escapes are accepted.
type Cursor struct {
	b     []byte
	i     int
	err   error
	depth int
}

// NewCursor returns a cursor at the beginning of b, which must not change while it is in use.
func NewCursor(b []byte) *Cursor { return &Cursor{b: b} }

// Err returns the first error that the cursor encountered.
func (c *Cursor) Err() error { return c.err }

// Rest returns what follows the last value, without leading space.
func (c *Cursor) Rest() []byte {
	c.space()
	return c.b[c.i:]
}

// Kind returns the first byte of the next value: one of {["tfn-0, with 0 for any digit; 0 at the end or if it isn't a
// value.
func (c *Cursor) Kind() byte {
	c.space()
	if c.err != nil || c.i >= len(c.b) {
		return 0
	}
	switch k := c.b[c.i]; k {
	case '{', '[', '"', 't', 'f', 'n', '-':
		return k
	default:
		if k >= '0' && k <= '9' {
			return '0'
		}
		return 0
	}
}

// Object calls member with the raw name of each member, whose value it can read or leave. Another kind of value is
// skipped, and Object returns false.
func (c *Cursor) Object(member func(name []byte)) bool {
	return c.each('{', func() int {
		if c.Kind() != '"' {
			c.Skip()
			c.fail(ErrSyntax)
			return c.i
		}
		name := c.RawString()
		c.expect(':')
		c.space()
		at := c.i
		if c.err == nil {
			member(name)
		}
		return at
	})
}

// Array does the same with element for each element.
func (c *Cursor) Array(element func()) bool {
	return c.each('[', func() int {
		c.space()
		at := c.i
		element()
		return at
	})
}

// each calls one for each part of an object or array; one returns where the part's value begins.
func (c *Cursor) each(open byte, one func() int) bool {
	if c.Kind() != open {
		c.Skip()
		return false
	}
	c.i++
	if c.depth++; c.depth > maxDepth {
		c.fail(ErrDeep)
	}
	for first := true; c.more(open+2, first); first = false { // '{'+2 is '}', '['+2 is ']'
		if at := one(); c.i == at && c.err == nil {
			c.Skip()
		}
	}
	c.depth--
	return c.err == nil
}

// more moves to the next member or element, or past the end.
func (c *Cursor) more(end byte, first bool) bool {
	c.space()
	switch {
	case c.err != nil:
		return false
	case c.i >= len(c.b):
		c.fail(ErrCut)
		return false
	case c.b[c.i] == end:
		c.i++
		return false
	case first:
		return true
	}
	c.expect(',')
	return c.err == nil
}

func (c *Cursor) expect(k byte) {
	c.space()
	switch {
	case c.err != nil:
	case c.i >= len(c.b):
		c.fail(ErrCut)
	case c.b[c.i] != k:
		c.fail(ErrSyntax)
	default:
		c.i++
	}
}

// RawString returns the content of a string with its escapes (see Unquote); nil for another kind of value.
func (c *Cursor) RawString() []byte {
	c.space()
	if c.err != nil {
		return nil
	}
	if c.i >= len(c.b) || c.b[c.i] != '"' {
		c.Skip()
		return nil
	}
	begin := c.i + 1
	c.i = begin
	c.endString()
	if c.err != nil {
		return nil
	}
	return c.b[begin : c.i-1 : c.i-1]
}

// endString moves from inside a string past its closing quote.
func (c *Cursor) endString() {
	at := c.i
	for {
		k := bytes.IndexByte(c.b[at:], '"')
		if k < 0 {
			c.fail(ErrCut)
			return
		}
		end := at + k
		if end == c.i || c.b[end-1] != '\\' || backslashes(c.b[c.i:end])%2 == 0 {
			c.i = end + 1
			return
		}
		at = end + 1
	}
}

// Raw skips a value and returns it as written.
func (c *Cursor) Raw() []byte {
	c.space()
	begin := c.i
	c.Skip()
	if c.err != nil {
		return nil
	}
	return c.b[begin:c.i:c.i]
}

// Skip moves past the next value.
func (c *Cursor) Skip() {
	switch c.Kind() {
	case '"':
		c.i++
		c.endString()
	case '{', '[':
		c.skipNested()
	case 't':
		c.literal("true")
	case 'f':
		c.literal("false")
	case 'n':
		c.literal("null")
	case '-', '0':
		c.number()
	default:
		if c.i >= len(c.b) {
			c.fail(ErrCut)
		}
		c.fail(ErrSyntax)
	}
}

// skipNested moves past an object or array without recursion. It checks brackets and strings, but not commas and
// colons.
func (c *Cursor) skipNested() {
	var stack [16]byte
	open := stack[:0]
	for c.i < len(c.b) {
		k := c.b[c.i]
		c.i++
		switch plain[k] {
		case isPlain:
		case isQuote:
			if c.endString(); c.err != nil {
				return
			}
		case isOpen:
			if c.depth+len(open) >= maxDepth {
				c.fail(ErrDeep)
				return
			}
			open = append(open, k+2)
		case isClose:
			if open[len(open)-1] != k {
				c.fail(ErrSyntax)
				return
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				return
			}
		default:
			c.fail(ErrSyntax)
			return
		}
	}
	c.fail(ErrCut)
}

const (
	isOther = iota
	isPlain
	isQuote
	isOpen
	isClose
)

var plain = func() (t [256]uint8) {
	for _, k := range " \t\r\n,:+-.0123456789eEtrufalsn" {
		t[k] = isPlain
	}
	t['"'] = isQuote
	t['{'], t['['] = isOpen, isOpen
	t['}'], t[']'] = isClose, isClose
	return t
}()

func (c *Cursor) literal(word string) {
	end := min(c.i+len(word), len(c.b))
	switch {
	case string(c.b[c.i:end]) == word:
		c.i = end
	case end == len(c.b) && word[:end-c.i] == string(c.b[c.i:end]):
		c.fail(ErrCut)
	default:
		c.fail(ErrSyntax)
	}
}

func (c *Cursor) number() {
	for c.i < len(c.b) {
		switch k := c.b[c.i]; {
		case k >= '0' && k <= '9', k == '-', k == '+', k == '.', k == 'e', k == 'E':
			c.i++
		default:
			return
		}
	}
}

func (c *Cursor) space() {
	for c.i < len(c.b) {
		switch c.b[c.i] {
		case ' ', '\t', '\r', '\n':
			c.i++
		default:
			return
		}
	}
}

func (c *Cursor) fail(err error) {
	if c.err == nil {
		c.err = err
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
	var out strings.Builder // its bytes become the string without a copy
	out.Grow(len(raw))
	unescapeAll(&out, raw)
	return clean(out.String())
}

// unescapeAll writes raw with its escapes resolved.
func unescapeAll(out *strings.Builder, raw []byte) {
	for len(raw) > 0 {
		k := bytes.IndexByte(raw, '\\')
		if k < 0 {
			out.Write(raw)
			return
		}
		out.Write(raw[:k])
		raw = raw[k+unescape(out, raw[k:]):]
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

// unescape writes the meaning of the escape at the beginning of raw and returns its length in bytes.
func unescape(out *strings.Builder, raw []byte) int {
	if len(raw) < 2 {
		return len(raw)
	}
	switch k := raw[1]; k {
	case 'b', 'f', 'n', 'r', 't':
		out.WriteByte("\b\f\n\r\t"[strings.IndexByte("bfnrt", k)])
	case 'u':
		return unescapeRune(out, raw)
	default: // '"', '\\', '/', and invalid escapes
		out.WriteByte(k)
	}
	return 2
}

func unescapeRune(out *strings.Builder, raw []byte) int {
	r, ok := hex4(raw)
	if !ok {
		out.WriteRune(utf8.RuneError)
		return min(len(raw), 2)
	}
	if !utf16.IsSurrogate(r) {
		out.WriteRune(r)
		return 6
	}
	if low, ok := hex4(raw[6:]); ok {
		if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
			out.WriteRune(both)
			return 12
		}
	}
	out.WriteRune(utf8.RuneError)
	return 6
}

// hex4 reads an escape of four hexadecimal digits: \u00e4.
func hex4(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 32)
	return rune(n), err == nil
}
