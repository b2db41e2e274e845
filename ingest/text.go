package ingest

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"recall/internal/text"
)

// MapText replaces every text that came from a person, a model, a tool or the machine by f of it, always in the order
// of the fields, places first. Hashes, times and ids (strings of named types, or tagged map:"-") are left alone.
// Foreign parts are mapped separately and stay marked. Slices and pointers are replaced, so that values taken from s
// before, such as its Where, don't change.
func (s *Session) MapText(f func(string) string) {
	newMapper(f).value(reflect.ValueOf(s).Elem(), "")
}

// MapPath maps a path as MapText does.
func MapPath(path string, f func(string) string) string {
	return newMapper(f).path(path)
}

// A mapper is the state of one MapText.
type mapper struct {
	f     func(string) string
	names map[string]string // results for names and paths, which recur
	asked *string           // by the agent, in the turn before, as it is before an answer
}

func newMapper(f func(string) string) mapper {
	return mapper{f: f, names: map[string]string{}, asked: new(string)}
}

var stringType = reflect.TypeFor[string]()

// value maps the texts in a value; as is its field's tag.
func (m mapper) value(v reflect.Value, as string) {
	switch v.Kind() {
	case reflect.String:
		if v.Type() == stringType {
			v.SetString(m.mapped(v.String(), as))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			copied := reflect.New(v.Type().Elem())
			copied.Elem().Set(v.Elem())
			m.value(copied.Elem(), as)
			v.Set(copied)
		}
	case reflect.Slice:
		if v.Len() == 0 {
			return
		}
		copied := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(copied, v)
		for i := range v.Len() {
			m.value(copied.Index(i), as)
		}
		v.Set(copied)
	case reflect.Map:
		switch in := v.Interface().(type) {
		case map[string]string:
			m.inputs(in)
		case map[string]int:
			m.counts(in)
		}
	case reflect.Struct:
		if t, ok := v.Addr().Interface().(*Turn); ok {
			m.turnText(t)
		}
		for f, field := range v.Fields() {
			if as := f.Tag.Get("map"); f.IsExported() && as != "-" {
				m.value(field, as)
			}
		}
		if c, ok := v.Addr().Interface().(*ToolCall); ok {
			c.Result = m.after(printing(c), c.Result)
		}
	}
}

func (m mapper) mapped(s, as string) string {
	switch {
	case s == "":
		return ""
	case as == "name":
		return m.name(s)
	case as == "path":
		return m.path(s)
	}
	return m.f(s)
}

// turnText maps a turn's text. One that changes is mapped part by part, adjusting the offsets of its foreign parts; the
// whole comes first as a key whose lines are parts of their own is one only there.
func (m mapper) turnText(t *Turn) {
	before := ""
	if t.Role == User {
		before = *m.asked
	}
	mapped := m.after(before, t.Text)
	if len(t.Foreign) > 0 && mapped != t.Text {
		var out strings.Builder
		piece := func(s string) { out.WriteString(m.after(before, s)) }
		at := 0
		for i := range t.Foreign {
			f := &t.Foreign[i]
			from, to := min(max(f.From, at), len(t.Text)), min(max(f.To, at), len(t.Text))
			piece(t.Text[at:from])
			f.From = out.Len()
			piece(t.Text[from:max(from, to)])
			f.To = out.Len()
			at = max(from, to)
		}
		piece(t.Text[at:])
		mapped = out.String()
	}
	t.Text, *m.asked = mapped, ""
	if t.Role == Assistant {
		*m.asked = question(t.Text)
	}
}

// question returns what stands before the answer to a turn's last line, if that asks for something: like a command's
// result, a single word is a secret if it was asked for one. Where one is and what it is called are no secrets.
func question(turn string) string {
	const most = 300
	line := strings.TrimSpace(turn)
	line = line[strings.LastIndexByte(line, '\n')+1:]
	has := func(words ...string) bool { return text.AnyOf(strings.ToLower(line), strings.Contains, words...) }
	asks := has("?", "？", "please", "paste", "need") || text.AnyOf(line, strings.HasSuffix, ":", "：")
	if !asks || len(line) > most || has("where", "how ", "name of", "named", "called", "commit") {
		return ""
	}
	return "$ " + line + "\n"
}

// printing returns what prints a call's result: its command, or one that prints the file it reads.
func printing(c *ToolCall) string {
	if c.Command == "" && c.Path == "" {
		return ""
	}
	return "$ " + cmp.Or(c.Command, "cat "+c.Path) + "\n"
}

// inputs maps a call's values, each together with its name: "hunter2" alone isn't recognized, "password=hunter2" is. A
// file's content is read as if it were printed, and other values of several lines alone.
func (m mapper) inputs(in map[string]string) {
	file := cmp.Or(in["file_path"], in["path"])
	for _, name := range slices.Sorted(maps.Keys(in)) {
		before := name + "="
		if strings.Contains(in[name], "\n") {
			before = ""
		}
		if file != "" && (name == "content" || name == "new_string" || name == "old_string") {
			before = "$ cat " + file + "\n"
		}
		value := m.after(before, in[name])
		delete(in, name)
		in[m.mapped(name, "name")] = value
	}
}

// after maps a text together with what stands before it: a command tells that what it prints is a secret.
func (m mapper) after(before, text string) string {
	if text == "" {
		return ""
	}
	if rest, ok := strings.CutPrefix(m.f(before+text), before); ok {
		return rest
	}
	return m.f(text)
}

// counts maps the names of what was counted.
func (m mapper) counts(counts map[string]int) {
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		n := counts[name]
		delete(counts, name)
		counts[m.mapped(name, "name")] += n
	}
}

// Names and paths (of places, files, models, tools, servers) aren't anybody's words. There are few distinct ones, so
// each is mapped once.

// name maps a short text that recurs.
func (m mapper) name(s string) string {
	to, ok := m.names[s]
	if !ok {
		to = m.tail(m.f(s))
		m.names[s] = to
	}
	return to
}

// tail maps the part of a name after a "_", "-" or ".", up to its end or another such mark, if the whole name shows
// nothing: rules require a word boundary on both sides, and "mcp_" before a secret or "_query" after it is none.
func (m mapper) tail(name string) string {
	const parts, leastKey, longest = "_-.", 16, 512 // leastKey: of a key that something follows
	for from := 0; from < len(name); from++ {
		if from > 0 && strings.IndexByte(parts, name[from-1]) < 0 {
			continue
		}
		for to := len(name); to > from; to = strings.LastIndexAny(name[:min(to, from+longest)], parts) {
			whole, short := to-from == len(name), to < len(name) && to-from < leastKey
			if whole || short {
				continue
			}
			if mapped := m.f(name[from:to]); mapped != name[from:to] {
				return name[:from] + mapped + name[to:]
			}
		}
	}
	return name
}

// path maps a path, and each of its names separately: what is recognized as a secret at the end of a text might not be
// before a "/".
func (m mapper) path(s string) string {
	to, ok := m.names[s]
	if ok {
		return to
	}
	var b strings.Builder
	for rest := s; rest != ""; {
		end := strings.IndexAny(rest, `/\`)
		if end < 0 {
			end = len(rest)
		}
		b.WriteString(m.mapped(rest[:end], "name"))
		if end < len(rest) {
			b.WriteByte(rest[end])
			end++
		}
		rest = rest[end:]
	}
	to = m.mapped(b.String(), "")
	m.names[s] = to
	return to
}
