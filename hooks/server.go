package hooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ServerName is the name under which clients know recall's MCP server.
const ServerName = "recall"

// A Server is recall as an MCP server in a client's configuration.
type Server struct {
	Program
	Typed bool // the client's entries say {"type": "stdio"}, as Claude Code's do
}

type serverEntry struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

func (s Server) entry() serverEntry {
	e := serverEntry{Command: s.Path, Args: append(slices.Clone(s.Args), "mcp")}
	if s.Typed {
		e.Type = "stdio"
	}
	return e
}

// ErrTaken: the client has another server of that name.
var ErrTaken = errors.New(`a server named "recall" is there that isn't recall's`)

// serverOf finds the servers of a configuration and recall's entry among them,
// nil where there is none.
func serverOf(text []byte) (root, servers, entry *span, err error) {
	if root, err = spans(text); err != nil {
		return nil, nil, nil, err
	}
	if root.kind != '{' {
		return nil, nil, nil, wrongAt(text, root.from, "a configuration is an object, { … }")
	}
	if servers = root.last("mcpServers"); servers == nil {
		return root, nil, nil, nil
	}
	if servers.kind != '{' {
		return nil, nil, nil, wrongAt(text, servers.from, `"mcpServers" is no object`)
	}
	return root, servers, servers.last(ServerName), nil
}

// ourServer tells an entry of recall's, of any version, from another's.
func ourServer(text []byte) (serverEntry, bool) {
	var e serverEntry
	if json.Unmarshal(text, &e) != nil {
		return e, false
	}
	return e, strings.HasPrefix(lastName(Started(append([]string{e.Command}, e.Args...))), "recall") && len(e.Args) > 0 &&
		e.Args[len(e.Args)-1] == "mcp"
}

// Started is the program that a command line starts, "" if none: behind wsl.exe
// the one inside, if it is written as recall does, wsl.exe -d NAME -- PROGRAM.
func Started(command []string) string {
	if len(command) == 0 {
		return ""
	}
	if lastName(command[0]) == "wsl.exe" && len(command) > 4 && command[3] == "--" {
		return command[4]
	}
	return command[0]
}

func lastName(path string) string { return strings.ToLower(path[strings.LastIndexAny(path, `/\`)+1:]) }

// AddServer gives a configuration with recall's server in it; what else is there
// stays byte for byte as it is. An entry of an earlier install is replaced where
// it stands. The error is ErrTaken, or names the line of what can't be read.
func AddServer(text []byte, s Server) ([]byte, error) {
	if len(bytes.TrimSpace(text[len(bom(text)):])) == 0 {
		text = append(slices.Clone(bom(text)), "{}\n"...)
	}
	root, servers, entry, err := serverOf(text)
	if err != nil {
		return nil, err
	}
	st := styleOf(text, root)
	switch {
	case servers == nil:
		return st.member(text, root, 1, "mcpServers", map[string]serverEntry{ServerName: s.entry()}), nil
	case entry == nil:
		return st.member(text, servers, 2, ServerName, s.entry()), nil
	}
	have, ours := ourServer(text[entry.from:entry.to])
	if !ours {
		return nil, fmt.Errorf("%w (line %d)", ErrTaken, 1+bytes.Count(text[:entry.from], []byte("\n")))
	}
	want := s.entry()
	if have.Command == want.Command && slices.Equal(have.Args, want.Args) {
		return text, nil // with what somebody may have added, such as env
	}
	return slices.Concat(text[:entry.from], st.render(want, 2), text[entry.to:]), nil
}

// RemoveServer takes recall's server out, and what is empty without it.
func RemoveServer(text []byte) ([]byte, error) {
	if len(bytes.TrimSpace(text[len(bom(text)):])) == 0 {
		return text, nil
	}
	root, servers, entry, err := serverOf(text)
	if err != nil || entry == nil {
		return text, err
	}
	if _, ours := ourServer(text[entry.from:entry.to]); !ours {
		return text, nil
	}
	if len(servers.members) > 1 {
		return cutMember(text, servers, entry), nil
	}
	return cutMember(text, root, servers), nil
}

// InstalledServer is the program that a configuration starts as recall's server,
// with its arguments; nil if it starts none.
func InstalledServer(text []byte) ([]string, error) {
	if len(bytes.TrimSpace(text[len(bom(text)):])) == 0 {
		return nil, nil
	}
	_, _, entry, err := serverOf(text)
	if err != nil || entry == nil {
		return nil, err
	}
	e, ours := ourServer(text[entry.from:entry.to])
	if !ours {
		return nil, nil
	}
	return append([]string{e.Command}, e.Args...), nil
}

// PlanServer says what installing the server into a client's configuration would do.
func PlanServer(path string, s Server) (Change, error) { return serverIn(s).planIn(path) }

// PlanNoServer says what uninstalling it would do; see PlanUninstall.
func PlanNoServer(path string, typed bool) (Change, error) {
	return serverIn(Server{Typed: typed}).planOut(path)
}

func serverIn(s Server) tenant {
	return tenant{
		add:    func(text []byte) ([]byte, error) { return AddServer(text, s) },
		remove: RemoveServer,
		in: func(text []byte) bool {
			have, err := InstalledServer(text)
			return err != nil || have != nil
		},
		made: func(was, now []byte) bool {
			have, err := InstalledServer(now)
			if err != nil || have == nil {
				return false
			}
			made, err := AddServer(was, Server{Program{have[0], have[1 : len(have)-1]}, s.Typed})
			return err == nil && bytes.Equal(made, now)
		},
	}
}
