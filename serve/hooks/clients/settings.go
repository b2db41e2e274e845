package clients

import (
	"bytes"
	"encoding/json"
	"runtime"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
	"mvdan.cc/sh/v3/shell"
	"mvdan.cc/sh/v3/syntax"

	"recall/ingest"
	"recall/serve/hooks"
)

type handler struct {
	Name    string   `json:"name,omitempty"`
	Type    string   `json:"type"`
	Command string   `json:"command"`
	Args    []string `json:"args,omitempty"`
	Timeout int      `json:"timeout"`
	Async   bool     `json:"async,omitempty"`
}

type group struct {
	Matcher string    `json:"matcher,omitempty"`
	Hooks   []handler `json:"hooks"`
}

// A form is how a client's settings name a program and its arguments.
type form func(words []string) handler

// argued names them apart: no shell reads the path, so spaces in it are safe.
func argued(words []string) handler { return handler{Command: words[0], Args: words[1:]} }

// asLine is a line for a shell.
func asLine(words []string) handler {
	var line []string
	for _, word := range words {
		quoted, err := syntax.Quote(word, syntax.LangPOSIX)
		if err != nil || runtime.GOOS == "windows" && strings.ContainsAny(word, ` \()&`) {
			quoted = `"` + word + `"`
		}
		line = append(line, quoted)
	}
	return handler{Command: strings.Join(line, " ")}
}

// asNamedLine is a line with a name for the client's list of hooks.
func asNamedLine(words []string) handler {
	h := asLine(words)
	h.Name = "recall"
	return h
}

// group returns what is entered for an event.
func (c *Client) group(as form, p Program, e event) group {
	words := append(append([]string{p.Path}, p.Args...), "hook", e.is.Word())
	if c.Word != usual {
		words = append(words, c.Word)
	}
	h := as(words)
	h.Type, h.Timeout, h.Async = "command", e.timeout, e.async
	return group{e.matcher, []handler{h}}
}

// ourProgram returns the program that a handler starts as one of recall's hooks, of any version; nil if it isn't one.
func ourProgram(v hujson.Value) *Program {
	var h handler
	if json.Unmarshal(raw(v), &h) != nil {
		return nil
	}
	words := append([]string{h.Command}, h.Args...)
	if h.Args == nil { // as a line, perhaps written by hand
		words, _ = shell.Fields(h.Command, func(string) string { return "" })
	}
	at := slices.Index(words, "hook")
	if at < 1 || at+1 == len(words) || at+3 < len(words) || !strings.HasPrefix(lastName(words[0]), "recall") {
		return nil
	}
	if _, err := hooks.ParseEvent(words[at+1]); err != nil {
		return nil
	}
	return &Program{words[0], words[1:at]}
}

// groupsOf returns an event's list of groups, or none if the same name occurs again later.
func groupsOf(hooks *hujson.Object, i int) *hujson.Array {
	if at(hooks, nameOf(hooks.Members[i])) != i {
		return elements(nil)
	}
	return elements(&hooks.Members[i].Value)
}

// setHooks has settings call a program as recall's hooks, in place of those of an earlier install; with nil, none.
func (c *Client) setHooks(d *document, as form, p *Program) error {
	wanted := map[string][]byte{}
	for _, e := range c.events {
		if p != nil {
			wanted[e.name], _ = json.Marshal(c.group(as, *p, e)) // strings and numbers only: it can't fail
		}
	}
	has := func(event string, g hujson.Value) bool {
		var have bytes.Buffer
		return json.Compact(&have, raw(g)) == nil && bytes.Equal(have.Bytes(), wanted[event])
	}
	if err := cutHooks(d, has); err != nil || p == nil {
		return err
	}
	_, hooks, err := d.section("settings", "hooks", true)
	if err != nil {
		return err
	}
	for _, e := range c.events {
		if at(hooks, e.name) < 0 {
			d.addMember(hooks, 2, e.name, []group{})
		}
		v := &hooks.Members[at(hooks, e.name)].Value
		list, ok := v.Value.(*hujson.Array)
		if !ok {
			return d.wrong(v, `"`+e.name+`" is not a list`)
		}
		if !slices.ContainsFunc(list.Elements, func(g hujson.Value) bool { return has(e.name, g) }) {
			d.addElem(list, 3, c.group(as, *p, e))
		}
	}
	return nil
}

// cutHooks removes recall's hooks and whatever becomes empty without them, except groups that are to stay.
func cutHooks(d *document, stays func(event string, g hujson.Value) bool) error {
	root, hooks, err := d.section("settings", "hooks", false)
	if err != nil || hooks == nil {
		return err
	}
	for i, m := range slices.Backward(hooks.Members) {
		groups := groupsOf(hooks, i)
		for k, g := range slices.Backward(groups.Elements) {
			if stays(nameOf(m), g) {
				continue
			}
			list := elements(member(&g, "hooks"))
			for n, h := range slices.Backward(list.Elements) {
				if ourProgram(h) != nil && d.cutElem(list, n) && d.cutElem(groups, k) && d.cutMember(hooks, i) {
					d.cutMember(root, at(root, "hooks"))
				}
			}
		}
	}
	return nil
}

// ourHooks lists the events that have one of recall's hooks, by the client's names, and the programs that these start.
func ourHooks(text []byte) (events []string, programs []*Program, err error) {
	d, err := parse(text)
	if err != nil {
		return nil, nil, err
	}
	_, hooks, err := d.section("settings", "hooks", false)
	if err != nil || hooks == nil {
		return nil, nil, err
	}
	for i, m := range hooks.Members {
		for _, g := range groupsOf(hooks, i).Elements {
			for _, v := range elements(member(&g, "hooks")).Elements {
				if p := ourProgram(v); p != nil {
					events, programs = ingest.Union(events, nameOf(m)), append(programs, p)
				}
			}
		}
	}
	return events, programs, nil
}

// inJSON is the entry of recall's hooks in a client's settings.
func (c *Client) inJSON(as form) entry {
	return func(text []byte, p *Program) (after []byte, was *Program, err error) {
		_, list, err := ourHooks(text)
		if err != nil {
			return nil, nil, err
		}
		if len(list) > 0 {
			was = list[0]
		}
		after, err = edited(text, func(d *document) error { return c.setHooks(d, as, p) })
		return after, was, err
	}
}
