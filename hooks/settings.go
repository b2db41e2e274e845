package hooks

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A Hook is one entry of ours in settings.json.
type Hook struct {
	Event   Event
	Matcher string // "" is everything
	Timeout int    // seconds
	Async   bool
}

// Ours are the hooks that are installed. SessionEnd without async would be
// killed after 1.5 s; what PreCompact says would enter the summary.
var Ours = []Hook{
	{Event: SessionStart, Timeout: 10},
	{Event: UserPromptSubmit, Timeout: 5},
	{Event: PreToolUse, Matcher: "Edit|Write|NotebookEdit|Bash", Timeout: 15},
	{Event: PreCompact, Timeout: 120, Async: true},
	{Event: SessionEnd, Timeout: 300, Async: true},
}

// A Program is what the client starts: with args, so that no shell reads the
// path and spaces in it are safe.
type Program struct {
	Path string   // absolute
	Args []string // before "hook EVENT", such as --library DIR
}

type handler struct {
	Type    string   `json:"type"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Timeout int      `json:"timeout"`
	Async   bool     `json:"async,omitempty"`
}

type group struct {
	Matcher string    `json:"matcher,omitempty"`
	Hooks   []handler `json:"hooks"`
}

func (p Program) group(h Hook) group {
	args := append(slices.Clone(p.Args), "hook", h.Event.Word())
	return group{h.Matcher, []handler{{"command", p.Path, args, h.Timeout, h.Async}}}
}

// shellForm is one of ours as written by hand or by a plugin, for a shell.
var shellForm = regexp.MustCompile(`(^|[/\\"' ])recall(\.exe)?["']?( --?\S+( \S+)?)* hook ([a-z-]+)\s*$`)

// isOurs tells a handler of recall's, of any version, from others.
func isOurs(text []byte) bool {
	var h handler
	if json.Unmarshal(text, &h) != nil {
		return false
	}
	if h.Args == nil {
		m := shellForm.FindStringSubmatch(h.Command)
		return m != nil && eventOf(m[5]) != ""
	}
	base := h.Command[strings.LastIndexAny(h.Command, `/\`)+1:]
	n := len(h.Args)
	return strings.HasPrefix(filepath.Base(base), "recall") && n >= 2 && h.Args[n-2] == "hook" &&
		eventOf(h.Args[n-1]) != ""
}

// Add gives settings with our hooks in them; what else is there stays byte for
// byte as it is. Ours of an earlier install are replaced. The error names the
// line of what can't be read.
func Add(text []byte, p Program) ([]byte, error) {
	if len(bytes.TrimSpace(text[len(bom(text)):])) == 0 {
		text = append(slices.Clone(bom(text)), "{}\n"...)
	}
	text, err := without(text, p.has)
	if err != nil {
		return nil, err
	}
	for _, h := range Ours {
		if text, err = p.add(text, h); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// has reports whether a group of an event is exactly as it would be installed.
func (p Program) has(event string, text []byte) bool {
	for _, h := range Ours {
		if string(h.Event) == event {
			want, _ := json.Marshal(p.group(h))
			var have bytes.Buffer
			return json.Compact(&have, text) == nil && bytes.Equal(have.Bytes(), want)
		}
	}
	return false
}

// add adds one hook, unless it is there.
func (p Program) add(text []byte, h Hook) ([]byte, error) {
	root, hooks, list, err := placesOf(text, string(h.Event))
	if err != nil {
		return nil, err
	}
	st := styleOf(text, root)
	entry := p.group(h)
	switch {
	case hooks == nil:
		return st.member(text, root, 1, "hooks", map[string][]group{string(h.Event): {entry}}), nil
	case list == nil:
		return st.member(text, hooks, 2, string(h.Event), []group{entry}), nil
	}
	for _, g := range list.elems {
		if p.has(string(h.Event), text[g.from:g.to]) {
			return text, nil
		}
	}
	return st.elem(text, list, 3, entry), nil
}

// placesOf finds the hooks and an event's list of groups, nil where there is
// none.
func placesOf(text []byte, event string) (root, hooks, list *span, err error) {
	if root, err = spans(text); err != nil {
		return nil, nil, nil, err
	}
	if root.kind != '{' {
		return nil, nil, nil, wrongAt(text, root.from, "settings are an object, { … }")
	}
	if hooks = root.last("hooks"); hooks == nil {
		return root, nil, nil, nil
	}
	if hooks.kind != '{' {
		return nil, nil, nil, wrongAt(text, hooks.from, `"hooks" is no object`)
	}
	if list = hooks.last(event); list != nil && list.kind != '[' {
		return nil, nil, nil, wrongAt(text, list.from, `"`+event+`" is no list`)
	}
	return root, hooks, list, nil
}

// Remove takes our hooks out, and what is empty without them.
func Remove(text []byte) ([]byte, error) {
	if len(bytes.TrimSpace(text[len(bom(text)):])) == 0 {
		return text, nil
	}
	return without(text, func(string, []byte) bool { return false })
}

// Installed lists the events that have a hook of ours.
func Installed(text []byte) (events []Event, programs []string, err error) {
	if len(bytes.TrimSpace(text[len(bom(text)):])) == 0 {
		return nil, nil, nil
	}
	err = eachOurs(text, func(event string, h *span, _ *span) bool {
		events = append(events, Event(event))
		var one handler
		json.Unmarshal(text[h.from:h.to], &one) // it was read before
		if !slices.Contains(programs, one.Command) {
			programs = append(programs, one.Command)
		}
		return true
	})
	return events, programs, err
}

// eachOurs calls do for each handler of ours with its group, until it returns
// false.
func eachOurs(text []byte, do func(event string, handler, group *span) bool) error {
	root, hooks, _, err := placesOf(text, "")
	if err != nil || hooks == nil {
		return err
	}
	for _, m := range hooks.members {
		if m.value != root.last("hooks").last(m.key) {
			continue // an equal key comes later: this one doesn't count
		}
		if m.value.kind != '[' {
			continue
		}
		for _, g := range m.value.elems {
			list := g.last("hooks")
			if list == nil || list.kind != '[' {
				continue
			}
			for _, h := range list.elems {
				if h.kind == '{' && isOurs(text[h.from:h.to]) && !do(m.key, h, g) {
					return nil
				}
			}
		}
	}
	return nil
}

// without removes ours, one after the other, but for groups that are to stay.
func without(text []byte, stays func(event string, group []byte) bool) ([]byte, error) {
	for {
		cut := false
		next := text
		err := eachOurs(text, func(event string, h, g *span) bool {
			if stays(event, text[g.from:g.to]) {
				return true
			}
			next, cut = takeOut(text, event, h, g), true
			return false
		})
		if err != nil || !cut {
			return text, err
		}
		text = next
	}
}

// takeOut removes a handler and all around it that is empty then.
func takeOut(text []byte, event string, h, g *span) []byte {
	root, hooks, list, err := placesOf(text, event)
	if err != nil {
		return text
	}
	inner := g.last("hooks")
	switch {
	case len(inner.elems) > 1:
		return cutElem(text, inner, h.from)
	case len(list.elems) > 1:
		return cutElem(text, list, g.from)
	case len(hooks.members) > 1:
		return cutMember(text, hooks, list)
	}
	return cutMember(text, root, hooks)
}

func cutElem(text []byte, list *span, from int) []byte {
	i := slices.IndexFunc(list.elems, func(e *span) bool { return e.from == from })
	if i > 0 {
		return slices.Concat(text[:list.elems[i-1].to], text[list.elems[i].to:])
	}
	return slices.Concat(text[:from], text[list.elems[1].from:])
}

func cutMember(text []byte, in, value *span) []byte {
	i := slices.IndexFunc(in.members, func(m member) bool { return m.value == value })
	if i < 0 { // parsed apart
		i = slices.IndexFunc(in.members, func(m member) bool { return m.value.from == value.from })
	}
	switch {
	case i > 0:
		return slices.Concat(text[:in.members[i-1].value.to], text[value.to:])
	case len(in.members) > 1:
		return slices.Concat(text[:in.members[0].from], text[in.members[1].from:])
	}
	return slices.Concat(text[:in.from+1], text[in.to-1:])
}

// style is how a file is laid out.
type style struct {
	newline string // "" if it is all on one line
	indent  string
}

// styleOf reads a file's layout from its own lines.
func styleOf(text []byte, root *span) style {
	st := style{"\n", "  "}
	if bytes.Contains(text, []byte("\r\n")) {
		st.newline = "\r\n"
	}
	if len(root.members) == 0 {
		return st
	}
	before := text[root.from+1 : root.members[0].from]
	i := bytes.LastIndexByte(before, '\n')
	if i < 0 {
		return style{}
	}
	if lead := string(before[i+1:]); strings.TrimLeft(lead, " \t") == "" && lead != "" {
		st.indent = lead
	}
	return st
}

// render writes a value at a level of the file.
func (st style) render(v any, level int) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // a path may hold & and <
	if st.newline != "" {
		enc.SetIndent(strings.Repeat(st.indent, level), st.indent)
	}
	enc.Encode(v) // of strings and numbers: it can't fail
	out := bytes.TrimRight(b.Bytes(), "\n")
	if st.newline == "\r\n" {
		out = bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n"))
	}
	return out
}

// line begins a new line at a level, if the file has lines.
func (st style) line(level int) string {
	if st.newline == "" {
		return ""
	}
	return st.newline + strings.Repeat(st.indent, level)
}

// member adds a member to an object at its end.
func (st style) member(text []byte, in *span, level int, key string, v any) []byte {
	colon := ": "
	if st.newline == "" {
		colon = ":"
	}
	entry := slices.Concat(st.render(key, level), []byte(colon), st.render(v, level))
	if n := len(in.members); n > 0 {
		at := in.members[n-1].value.to
		return slices.Concat(text[:at], []byte(","), []byte(st.line(level)), entry, text[at:])
	}
	return slices.Concat(text[:in.from+1], []byte(st.line(level)), entry, []byte(st.line(level-1)), text[in.to-1:])
}

// elem adds an element to a list at its end.
func (st style) elem(text []byte, in *span, level int, v any) []byte {
	if n := len(in.elems); n > 0 {
		at := in.elems[n-1].to
		return slices.Concat(text[:at], []byte(","), []byte(st.line(level)), st.render(v, level), text[at:])
	}
	return slices.Concat(text[:in.from+1], []byte(st.line(level)), st.render(v, level), []byte(st.line(level-1)),
		text[in.to-1:])
}
