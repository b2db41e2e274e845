package jsonl

import (
	"bytes"
	"errors"
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
