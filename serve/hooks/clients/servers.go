package clients

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"

	"recall/ingest"
)

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
