package hooks

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"recall/ingest"
)

// ServerName is the name under which clients know recall's MCP server.
const ServerName = "recall"

type serverEntry struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// ErrTaken: the client has another server of that name.
var ErrTaken = errors.New(`a server named "recall" is there that isn't recall's`)

func serversOf(d *document, add bool) (root, servers *hujson.Object, err error) {
	return d.section("a configuration is", "mcpServers", add)
}

// ourServer reads a server's entry, and tells recall's, of any version, from another's.
func ourServer(v hujson.Value) (e serverEntry, ours bool) {
	if json.Unmarshal(raw(v), &e) != nil {
		return e, false
	}
	return e, strings.HasPrefix(lastName(Started(append([]string{e.Command}, e.Args...))), "recall") && len(e.Args) > 0 &&
		e.Args[len(e.Args)-1] == "mcp"
}

// Started is the program that a command line starts, "" if none: of recall's wsl.exe -d NAME -- PROGRAM the one inside.
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

// inServers is recall as an MCP server in a client's configuration, some typed: {"type": "stdio"}. An entry of an
// earlier install is replaced where it stands; another's of that name is ErrTaken.
func inServers(typed bool) tenant {
	return tenant{
		add: func(d *document, p Program) error {
			_, servers, err := serversOf(d, true)
			if err != nil {
				return err
			}
			want := serverEntry{Command: p.Path, Args: append(slices.Clone(p.Args), "mcp")}
			if typed {
				want.Type = "stdio"
			}
			i := at(servers, ServerName)
			if i < 0 {
				d.addMember(servers, 2, ServerName, want)
				return nil
			}
			entry := &servers.Members[i].Value
			have, ours := ourServer(*entry)
			if !ours {
				return fmt.Errorf("%w (line %d)", ErrTaken, d.line(entry))
			}
			if have.Command != want.Command || !slices.Equal(have.Args, want.Args) { // else it may have more, such as env
				entry.Value, d.changed = d.value(want, 2).Value, true
			}
			return nil
		},
		remove: func(d *document) error {
			p, err := serverIn(d)
			if err == nil && p != nil {
				root, servers, _ := serversOf(d, false)
				if d.cutMember(servers, at(servers, ServerName)) {
					d.cutMember(root, at(root, "mcpServers"))
				}
			}
			return err
		},
		in: serverIn,
	}
}

// serverIn is the program that a configuration starts as recall's server, nil if none.
func serverIn(d *document) (*Program, error) {
	_, servers, err := serversOf(d, false)
	if err != nil || servers == nil {
		return nil, err
	}
	if i := at(servers, ServerName); i >= 0 {
		if e, ours := ourServer(servers.Members[i].Value); ours {
			return &Program{e.Command, e.Args[:len(e.Args)-1]}, nil
		}
	}
	return nil, nil
}
