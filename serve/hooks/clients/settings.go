package clients

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
	"mvdan.cc/sh/v3/shell"

	"recall/ingest"
	"recall/internal/escape"
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
		quoted := escape.Shell(word)
		if runtime.GOOS == "windows" && strings.ContainsAny(word, ` \()&`) {
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

// setHooks has settings call a program as recall's hooks, in place of those of an earlier install; with nil, none. It
// returns the program that it takes out.
func (c *Client) setHooks(d *document, as form, p *Program) (was *Program, err error) {
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
	if was, err = cutHooks(d, has); err != nil || p == nil {
		return was, err
	}
	_, hooks, err := d.section("settings", "hooks", true)
	if err != nil {
		return was, err
	}
	for _, e := range c.events {
		if at(hooks, e.name) < 0 {
			d.addMember(hooks, 2, e.name, []group{})
		}
		v := &hooks.Members[at(hooks, e.name)].Value
		list, ok := v.Value.(*hujson.Array)
		if !ok {
			return was, d.wrong(v, `"`+e.name+`" is not a list`)
		}
		if !slices.ContainsFunc(list.Elements, func(g hujson.Value) bool { return has(e.name, g) }) {
			d.addElem(list, 3, c.group(as, *p, e))
		}
	}
	return was, nil
}

// cutHooks removes recall's hooks and whatever becomes empty without them, except groups that are to stay. It returns
// the program that they start.
func cutHooks(d *document, stays func(event string, g hujson.Value) bool) (was *Program, err error) {
	root, hooks, err := d.section("settings", "hooks", false)
	if err != nil || hooks == nil {
		return nil, err
	}
	for i, m := range slices.Backward(hooks.Members) {
		groups := groupsOf(hooks, i)
		for k, g := range slices.Backward(groups.Elements) {
			if stays(nameOf(m), g) {
				continue
			}
			list := elements(member(&g, "hooks"))
			for n, h := range slices.Backward(list.Elements) {
				p := ourProgram(h)
				if p == nil {
					continue
				}
				if was = p; d.cutElem(list, n) && d.cutElem(groups, k) && d.cutMember(hooks, i) {
					d.cutMember(root, at(root, "hooks"))
				}
			}
		}
	}
	return was, nil
}

// inJSON is the entry of recall's hooks in a client's settings.
func (c *Client) inJSON(as form) entry {
	return func(text []byte, p *Program) (after []byte, was *Program, err error) {
		after, err = edited(text, func(d *document) (err error) {
			was, err = c.setHooks(d, as, p)
			return err
		})
		return after, was, err
	}
}

// ServerName is the name under which clients know recall's MCP server.
const ServerName = "recall"

type server struct {
	Type    string   `json:"type,omitempty"`
	Command any      `json:"command"`
	Args    []string `json:"args,omitempty"`
}

// How clients name a program and its arguments.
func plain(words []string) server { return server{"", words[0], words[1:]} }
func stdio(words []string) server { return server{"stdio", words[0], words[1:]} }
func local(words []string) server { return server{"local", words, nil} }

// ErrTaken says that the client has another server of that name.
var ErrTaken = errors.New(`there is a server named "recall" that isn't recall's`)

// wordsOf returns the command line of a server's entry.
func wordsOf(v hujson.Value) []string {
	var e struct {
		Command json.RawMessage
		Args    []string
	}
	var words []string
	var one string
	json.Unmarshal(raw(v), &e)
	if json.Unmarshal(e.Command, &words) != nil && json.Unmarshal(e.Command, &one) == nil {
		words = []string{one}
	}
	return append(words, e.Args...)
}

// serverOf returns the program that a command line starts as recall's server, of any version; nil if it doesn't.
func serverOf(words []string) *Program {
	last := len(words) - 1
	if last < 1 || words[last] != "mcp" || !strings.HasPrefix(lastName(words[0]), "recall") {
		return nil
	}
	return &Program{words[0], words[1:last]}
}

func (p Program) server() []string { return append(append([]string{p.Path}, p.Args...), "mcp") }

func lastName(path string) string { return strings.ToLower(ingest.LastName(path)) }

// inServers is the entry of recall as an MCP server in a client's configuration, below a key. If another server has the
// name, the error is ErrTaken.
func inServers(key string, as func(words []string) server) entry {
	return func(text []byte, p *Program) (after []byte, was *Program, err error) {
		after, err = edited(text, func(d *document) error {
			root, servers, err := d.section("a configuration", key, p != nil)
			if err != nil || servers == nil {
				return err
			}
			i := at(servers, ServerName)
			if i < 0 {
				if p != nil {
					d.addMember(servers, 2, ServerName, as(p.server()))
				}
				return nil
			}
			v := &servers.Members[i].Value
			words := wordsOf(*v)
			switch was = serverOf(words); {
			case p == nil:
				if was != nil && d.cutMember(servers, i) {
					d.cutMember(root, at(root, key))
				}
			case was == nil:
				return fmt.Errorf("%w (line %d)", ErrTaken, d.line(v))
			case !slices.Equal(words, p.server()): // otherwise keep it: it may also have env
				v.Value, d.changed = d.value(as(p.server()), 2).Value, true
			}
			return nil
		})
		return after, was, err
	}
}

// inTOML is the server's entry in Codex's config.toml, a table at its end. Of what is there nothing is rewritten.
func inTOML(text []byte, p *Program) (after []byte, was *Program, err error) {
	words, table, err := serverTable(text)
	was = serverOf(words)
	switch {
	case err != nil:
		return nil, nil, err
	case p == nil && was == nil, p != nil && slices.Equal(words, p.server()):
		return text, was, nil
	case p == nil:
		return []byte(strings.Replace(string(text), table, "", 1)), was, nil
	case len(words) > 0 && (was == nil || table == ""):
		return nil, was, ErrTaken
	}
	command, _ := json.Marshal(p.Path) // also TOML's form of strings
	args, _ := json.Marshal(p.server()[1:])
	made := fmt.Sprintf("%s\ncommand = %s\nargs = %s\n", tableHead, command, args)
	if table != "" {
		return []byte(strings.Replace(string(text), table, made, 1)), was, nil
	}
	if len(text) > 0 {
		made = strings.Repeat("\n", 2-len(string(text))+len(strings.TrimRight(string(text), "\n"))) + made
	}
	return append(slices.Clip(text), made...), was, nil
}

const tableHead = "[mcp_servers." + ServerName + "]"

// serverTable returns the command line of the server in a config.toml, and the lines that say so, "" if they are in
// another form.
func serverTable(text []byte) (words []string, table string, err error) {
	var all struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `toml:"mcp_servers"`
	}
	if err := toml.Unmarshal(text, &all); err != nil {
		return nil, "", err
	}
	one, ok := all.Servers[ServerName]
	if !ok {
		return nil, "", nil
	}
	for line := range strings.Lines(string(text)) {
		if table != "" && strings.HasPrefix(line, "[") {
			break
		}
		if table != "" || strings.TrimSpace(line) == tableHead {
			table += line
		}
	}
	return append([]string{one.Command}, one.Args...), table, nil
}

//go:embed opencode.js
var pluginText string

// pluginLine begins the plugin's line that names the program.
const pluginLine = "const recall = "

// inPlugin is the entry of OpenCode's plugin, which is a file of recall's own.
func inPlugin(text []byte, p *Program) (after []byte, was *Program, err error) {
	_, rest, _ := bytes.Cut(text, []byte("\n"+pluginLine))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	var words []string
	if json.Unmarshal(line, &words) == nil && len(words) > 0 {
		was = &Program{words[0], words[1:]}
	}
	if p == nil {
		return nil, was, nil
	}
	made, err := json.Marshal(append([]string{p.Path}, p.Args...))
	return []byte(strings.Replace(pluginText, pluginLine+"[]", pluginLine+string(made), 1)), was, err
}
