package jsonl

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// value reads any JSON into what encoding/json would make of it, numbers as
// they are written.
func value(c *Cursor) any {
	switch c.Kind() {
	case '{':
		m := map[string]any{}
		c.Object(func(name []byte) { m[Unquote(name)] = value(c) })
		return m
	case '[':
		a := []any{}
		c.Array(func() { a = append(a, value(c)) })
		return a
	case '"':
		return c.String()
	case 't', 'f':
		return string(c.Raw()) == "true"
	case 'n':
		c.Skip()
		return nil
	}
	return json.Number(c.Raw())
}

// FuzzCursor holds the cursor against encoding/json: what that takes, the
// cursor takes too, with the same meaning, walking or skipping.
func FuzzCursor(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,-2.5e3,true,false,null,"x\ny\u00e9\ud83d\ude00\ud83d"],"b":{}}`, `[]`, `""`, ` {"a" : "\\" } `, `{"a":1,}`,
		`{"a"`,
		`[[[[]]]]`, `{"":{"":""}}`, "\"\xff\"", `"a\u0000b"`, `{"a":"b"}{"c":"d"}`, `tru`, `[}`, `{"x":[1 2]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		c := NewCursor(in)
		got := value(c)
		whole := c.Err() == nil && len(c.Rest()) == 0
		skip := NewCursor(in)
		skip.Skip()
		if c.Err() == nil && skip.Err() != nil {
			t.Fatalf("skipping %q: got %v, but walking it works", in, skip.Err())
		}
		if c.Err() == nil && string(skip.Rest()) != string(c.Rest()) {
			t.Fatalf("after %q: got rest %q when skipped, %q when walked", in, skip.Rest(), c.Rest())
		}
		if !json.Valid(in) {
			return
		}
		if !whole {
			t.Fatalf("%q: got %v, rest %q, but it is JSON", in, c.Err(), c.Rest())
		}
		d := json.NewDecoder(strings.NewReader(string(in)))
		d.UseNumber()
		var want any
		if err := d.Decode(&want); err != nil {
			return // deeper than encoding/json goes
		}
		if diff := cmp.Diff(withoutNUL(want), got); diff != "" {
			t.Fatalf("%q (-encoding/json +cursor):\n%s", in, diff)
		}
	})
}

// withoutNUL does to a decoded value what Unquote does.
func withoutNUL(v any) any {
	switch v := v.(type) {
	case string:
		return strings.ReplaceAll(v, "\x00", "")
	case []any:
		for i := range v {
			v[i] = withoutNUL(v[i])
		}
		return v
	case map[string]any:
		m := map[string]any{}
		for k, e := range v {
			m[strings.ReplaceAll(k, "\x00", "")] = withoutNUL(e)
		}
		return m
	}
	return v
}

func TestCursorErrors(t *testing.T) {
	tests := []struct {
		in   string
		want error
	}{
		{`{"a":`, ErrCut}, {`{"a":"b`, ErrCut}, {`[1,2`, ErrCut}, {`{`, ErrCut}, {`"abc\"`, ErrCut}, {`tru`, ErrCut},
		{`{"a":[{]}`, ErrSyntax}, {`{a:1}`, ErrSyntax}, {`{"a" 1}`, ErrSyntax}, {`{"a":1 "b":2}`, ErrSyntax},
		{`{"a":1,}`, ErrSyntax},
		{`{"a":{x}}`, ErrSyntax}, {`nope`, ErrSyntax}, {"\x00\x01", ErrSyntax}, {`{5:1}`, ErrSyntax},
		{strings.Repeat("[", 100_000), ErrDeep}, {`{"a":` + strings.Repeat(`{"a":`, 100_000), ErrDeep},
	}
	for _, tt := range tests {
		c := NewCursor([]byte(tt.in))
		c.Object(func([]byte) {})
		if got := c.Err(); !errors.Is(got, tt.want) {
			t.Errorf("%.40q: got %v, want %v", tt.in, got, tt.want)
		}
	}
}

func TestInt(t *testing.T) {
	for in, want := range map[string]int64{
		"9007199254740993": 9007199254740993, "5.0": 5, `"7"`: 7, "1e3": 1000, "null": 0, `"x"`: 0, "1e400": 0, "-3": -3,
	} {
		if got := NewCursor([]byte(in)).Int(); got != want {
			t.Errorf("%s: got %d, want %d", in, got, want)
		}
	}
}

func TestFields(t *testing.T) {
	var name, number, parts, null string
	var n int64
	var raw []byte
	var yes, one, no bool
	var list []string
	c := NewCursor([]byte(`{"name":"a\n","number":5,"parts":["x"],"null":null,"n":"7","raw":{"a":1},"yes":true,"one":1,"no":"no",
		"list":["b","c"],"other":{"name":"d"}} rest`))
	ok := c.Fields(Fields{"name": &name, "number": &number, "parts": &parts, "null": &null, "n": &n, "raw": &raw,
		"yes": &yes, "one": &one, "no": &no, "list": func() { c.Array(func() { list = append(list, c.String()) }) }})
	if !ok || name != "a\n" || number != "5" || parts != "" || null != "" || n != 7 || string(raw) != `{"a":1}` ||
		!yes || !one || no || strings.Join(list, "") != "bc" || string(c.Rest()) != "rest" {
		t.Errorf("got %v %q %q %q %q %d %s %v %v %v %q, then %q", ok, name, number, parts, null, n, raw, yes, one, no, list,
			c.Rest())
	}
	if c := NewCursor([]byte(`[1] 2`)); c.Fields(Fields{"a": &name}) || string(c.Rest()) != "2" {
		t.Errorf("a list: got %q behind it", c.Rest())
	}
}
