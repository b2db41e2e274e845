package clients

import (
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

// isServer reports whether a command line starts recall's server, of any version.
func isServer(words []string) bool {
	return len(words) > 1 && strings.HasPrefix(lastName(Started(words)), "recall") && words[len(words)-1] == "mcp"
}

// serverOf returns the program that a command line starts as recall's server, nil if it doesn't.
func serverOf(words []string) *Program {
	if !isServer(words) {
		return nil
	}
	return &Program{words[0], words[1 : len(words)-1]}
}

func (p Program) server() []string { return append(append([]string{p.Path}, p.Args...), "mcp") }

// Started returns the program that a command line starts, "" if none; for recall's own wsl.exe -d NAME -- PROGRAM
// the inner one.
func Started(command []string) string {
	if len(command) == 0 {
		return ""
	}
	if lastName(command[0]) == "wsl.exe" && len(command) > 4 && command[3] == "--" {
		return command[4]
	}
	return command[0]
}

func lastName(path string) string { return strings.ToLower(ingest.LastName(path)) }

// inServers manages recall as an MCP server in a client's configuration, below a key. An entry of an earlier install is
// replaced in place; if another server has the name, the error is ErrTaken.
func inServers(key string, as func(words []string) server) entry {
	section := func(d *document, add bool) (root, servers *hujson.Object, err error) {
		return d.section("a configuration", key, add)
	}
	in := func(text []byte) (*Program, error) {
		d, err := parse(text)
		if err != nil {
			return nil, err
		}
		_, servers, err := section(d, false)
		if err != nil || servers == nil || at(servers, ServerName) < 0 {
			return nil, err
		}
		return serverOf(wordsOf(servers.Members[at(servers, ServerName)].Value)), nil
	}
	return entry{in: in,
		add: func(text []byte, p Program) ([]byte, error) {
			return edited(text, func(d *document) error {
				_, servers, err := section(d, true)
				if err != nil {
					return err
				}
				i := at(servers, ServerName)
				if i < 0 {
					d.addMember(servers, 2, ServerName, as(p.server()))
					return nil
				}
				v := &servers.Members[i].Value
				switch words := wordsOf(*v); {
				case !isServer(words):
					return fmt.Errorf("%w (line %d)", ErrTaken, d.line(v))
				case !slices.Equal(words, p.server()): // otherwise keep it: it may also have env
					v.Value, d.changed = d.value(as(p.server()), 2).Value, true
				}
				return nil
			})
		},
		remove: func(text []byte) ([]byte, error) {
			if p, err := in(text); err != nil || p == nil {
				return text, err
			}
			return edited(text, func(d *document) error {
				root, servers, err := section(d, false)
				if err == nil && d.cutMember(servers, at(servers, ServerName)) {
					d.cutMember(root, at(root, key))
				}
				return err
			})
		},
	}
}

// inTOML manages the server in Codex's config.toml, as a table at its end. Of what is there nothing is rewritten.
var inTOML = entry{
	in: func(text []byte) (*Program, error) {
		words, _, err := serverTable(text)
		return serverOf(words), err
	},
	add: func(text []byte, p Program) ([]byte, error) {
		words, table, err := serverTable(text)
		switch {
		case err != nil:
			return nil, err
		case len(words) > 0 && (!isServer(words) || table == ""):
			return nil, ErrTaken
		case slices.Equal(words, p.server()):
			return text, nil
		}
		command, _ := json.Marshal(p.Path) // also TOML's form of strings
		args, _ := json.Marshal(p.server()[1:])
		made := fmt.Sprintf("%s\ncommand = %s\nargs = %s\n", tableHead, command, args)
		if table != "" {
			return []byte(strings.Replace(string(text), table, made, 1)), nil
		}
		if len(text) > 0 {
			made = strings.Repeat("\n", 2-len(string(text))+len(strings.TrimRight(string(text), "\n"))) + made
		}
		return append(slices.Clip(text), made...), nil
	},
	remove: func(text []byte) ([]byte, error) {
		words, table, err := serverTable(text)
		if err != nil || !isServer(words) {
			return text, err
		}
		return []byte(strings.Replace(string(text), table, "", 1)), nil
	},
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
