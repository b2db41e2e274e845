package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// A document is a client's JSON file, possibly with comments. Unchanged parts are kept byte for byte.
type document struct {
	bom     []byte
	root    hujson.Value
	changed bool
	newline string // "" if the file is a single line
	indent  string
}

var bom = []byte("\xef\xbb\xbf")

// parse parses a JSON text. An empty one counts as an empty object.
func parse(text []byte) (*document, error) {
	d := &document{newline: "\n", indent: "  "}
	rest := bytes.TrimPrefix(text, bom)
	d.bom = text[:len(text)-len(rest)]
	switch {
	case !utf8.Valid(text):
		return nil, errors.New("it isn't UTF-8")
	case len(bytes.TrimSpace(rest)) == 0:
		rest = []byte("{}\n")
	}
	var err error
	if d.root, err = hujson.Parse(rest); err != nil {
		return nil, err // it names the line
	}
	if bytes.Contains(rest, []byte("\r\n")) {
		d.newline = "\r\n"
	}
	if root, ok := d.root.Value.(*hujson.Object); ok && len(root.Members) > 0 {
		before := root.Members[0].Name.BeforeExtra
		i := bytes.LastIndexByte(before, '\n')
		if lead := string(before[i+1:]); i < 0 {
			d.newline, d.indent = "", ""
		} else if strings.TrimLeft(lead, " \t") == "" && lead != "" {
			d.indent = lead
		}
	}
	return d, nil
}

// edited returns a text after an edit; the text itself if that changes nothing.
func edited(text []byte, do func(*document) error) ([]byte, error) {
	d, err := parse(text)
	if err == nil {
		err = do(d)
	}
	switch {
	case err != nil:
		return nil, err
	case !d.changed:
		return text, nil
	}
	return slices.Concat(d.bom, d.root.Pack()), nil
}

// wrong returns an error about a value.
func (d *document) wrong(v *hujson.Value, what string) error {
	return fmt.Errorf("line %d: %s", d.line(v), what)
}

// line returns the line of a value, as long as nothing before it was changed.
func (d *document) line(v *hujson.Value) int {
	return 1 + bytes.Count(d.root.Pack()[:v.StartOffset], []byte("\n"))
}

// section returns the root object and its member object of the given key: nil if there is none, unless add, which
// creates it.
func (d *document) section(what, key string, add bool) (root, section *hujson.Object, err error) {
	root, ok := d.root.Value.(*hujson.Object)
	if !ok {
		return nil, nil, d.wrong(&d.root, what+" must be an object, { … }")
	}
	if add && at(root, key) < 0 {
		d.addMember(root, 1, key, struct{}{})
	}
	v := member(&d.root, key)
	if v == nil {
		return root, nil, nil
	}
	if section, ok = v.Value.(*hujson.Object); !ok {
		return nil, nil, d.wrong(v, `"`+key+`" is not an object`)
	}
	return root, section, nil
}

// at returns the index of an object's member by name, the last one if repeated; -1 if there is none.
func at(in *hujson.Object, key string) int {
	for i, m := range slices.Backward(in.Members) {
		if nameOf(m) == key {
			return i
		}
	}
	return -1
}

func nameOf(m hujson.ObjectMember) string { return m.Name.Value.(hujson.Literal).String() }

// member returns an object's member value by name, nil if there is none.
func member(v *hujson.Value, key string) *hujson.Value {
	if in, ok := v.Value.(*hujson.Object); ok {
		if i := at(in, key); i >= 0 {
			return &in.Members[i].Value
		}
	}
	return nil
}

// elements returns a value as a list, an empty one if it isn't a list.
func elements(v *hujson.Value) *hujson.Array {
	if v != nil {
		if list, ok := v.Value.(*hujson.Array); ok {
			return list
		}
	}
	return &hujson.Array{}
}

// raw returns a value's own text.
func raw(v hujson.Value) []byte { return hujson.Value{Value: v.Value}.Pack() }

// cutMember removes a member from an object and reports whether that is empty then.
func (d *document) cutMember(in *hujson.Object, i int) bool {
	if i > 0 {
		in.Members[i-1].Value.AfterExtra = in.Members[i].Value.AfterExtra
	} else if len(in.Members) > 1 {
		in.Members[1].Name.BeforeExtra = in.Members[0].Name.BeforeExtra
	} else {
		in.AfterExtra = nil
	}
	in.Members, d.changed = slices.Delete(in.Members, i, i+1), true
	return len(in.Members) == 0
}

// cutElem removes an element from a list and reports whether that is empty then.
func (d *document) cutElem(in *hujson.Array, i int) bool {
	if i > 0 {
		in.Elements[i-1].AfterExtra = in.Elements[i].AfterExtra
	} else if len(in.Elements) > 1 {
		in.Elements[1].BeforeExtra = in.Elements[0].BeforeExtra
	}
	in.Elements, d.changed = slices.Delete(in.Elements, i, i+1), true
	return len(in.Elements) == 0
}

// addMember appends a member to an object in the file's layout; the root's members are at level 1.
func (d *document) addMember(in *hujson.Object, level int, key string, v any) {
	m := hujson.ObjectMember{Name: d.value(key, level), Value: d.value(v, level)}
	m.Name.BeforeExtra = d.newLine(level)
	if d.newline != "" {
		m.Value.BeforeExtra = hujson.Extra(" ")
	}
	if len(in.Members) == 0 {
		in.AfterExtra = d.newLine(level - 1)
	}
	in.Members, d.changed = append(in.Members, m), true
}

// addElem appends an element to a list in the file's layout.
func (d *document) addElem(in *hujson.Array, level int, v any) {
	e := d.value(v, level)
	e.BeforeExtra = d.newLine(level)
	if len(in.Elements) == 0 {
		in.AfterExtra = d.newLine(level - 1)
	}
	in.Elements, d.changed = append(in.Elements, e), true
}

// newLine starts a new line at a level, unless the file is a single line.
func (d *document) newLine(level int) hujson.Extra {
	if d.newline == "" {
		return nil
	}
	return hujson.Extra(d.newline + strings.Repeat(d.indent, level))
}

// value returns a value formatted for a level of the file.
func (d *document) value(v any, level int) hujson.Value {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // a path may contain & and <
	if d.newline != "" {
		enc.SetIndent(strings.Repeat(d.indent, level), d.indent)
	}
	enc.Encode(v) // strings and numbers only: it can't fail
	made, err := hujson.Parse(bytes.ReplaceAll(b.Bytes(), []byte("\n"), []byte(d.newline)))
	if err != nil {
		panic(err) // it was just encoded
	}
	return hujson.Value{Value: made.Value}
}
