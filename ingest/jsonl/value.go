package jsonl

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

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

// hex4 reads \uXXXX.
func hex4(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 32)
	return rune(n), err == nil
}
