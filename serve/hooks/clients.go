package hooks

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"recall/ingest"
	"recall/ingest/cowork"
	"recall/library/disk"
)

// Client is a client whose configuration recall can edit, so that it starts the MCP server.
type Client struct {
	Name  string `json:"client"`
	Path  string `json:"path"`
	typed bool   // its entries name their transport

	There   bool   `json:"-"` // the client seems to be in use here
	Distro  string `json:"-"` // the WSL distribution, if the client runs on the Windows host
	Project string `json:"-"` // the project that the file belongs to, "" for the user's own
}

// Install returns the change that enters the server, Uninstall the one that removes it.
func (c Client) Install(p Program) (Change, error) {
	if c.Distro != "" {
		p = Program{Path: "wsl.exe", Args: append([]string{"-d", c.Distro, "--", p.Path}, p.Args...)}
	}
	return inServers(c.typed).planIn(c.Path, p)
}

func (c Client) Uninstall() (Change, error) { return inServers(c.typed).planOut(c.Path) }

// Which selects clients; the zero value means all.
type Which struct{ ClaudeCode, ClaudeDesktop, Project bool }

// All reports whether all clients are selected.
func (w Which) All() bool { return w == Which{} }

// Clients lists the selected clients.
func Clients(w Which) ([]Client, error) {
	var list []Client
	if w.ClaudeCode || w.All() {
		c, err := claudeCode()
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	if w.ClaudeDesktop || w.All() {
		list = append(list, desktops(w.ClaudeDesktop)...)
	}
	if w.Project || w.All() {
		dir, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		if repo, ok := ingest.RepositoryOf(dir); ok {
			dir = repo.Root
		}
		c := Client{Name: "Claude Code, this project", Path: filepath.Join(dir, ".mcp.json"), typed: true, Project: dir}
		if command, err := c.command(); w.Project || err == nil && command != nil {
			list = append(list, c)
		}
	}
	return list, nil
}

// command returns the command with which the client starts recall; nil if it doesn't.
func (c Client) command() ([]string, error) {
	text, err := disk.ReadRegular(c.Path, MostOfSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p, err := inServers(c.typed).installed(text)
	if err != nil || p == nil {
		return nil, err
	}
	return append(append([]string{p.Path}, p.Args...), "mcp"), nil
}

func claudeCode() (Client, error) {
	home, err := os.UserHomeDir()
	dir := cmp.Or(os.Getenv("CLAUDE_CONFIG_DIR"), home)
	if dir == "" {
		return Client{}, err
	}
	c := Client{Name: "Claude Code", Path: filepath.Join(dir, ".claude.json"), typed: true}
	_, onPath := exec.LookPath("claude")
	c.There = disk.Exists(c.Path) || onPath == nil || home != "" && disk.Exists(filepath.Join(home, ".claude"))
	return c, nil
}

// desktops lists the desktop app's configurations: one for each of its folders that exists, else the usual one.
func desktops(asked bool) []Client {
	const file = "claude_desktop_config.json"
	var list []Client
	if w := cowork.OtherSide(); w != nil {
		for _, dir := range w.Data {
			if disk.Exists(dir) {
				list = append(list, Client{Name: "Claude Desktop, Windows", Path: filepath.Join(dir, file), There: true,
					Distro: w.Distro})
			}
		}
	}
	dirs := cowork.AppData()
	for _, dir := range dirs {
		if disk.Exists(dir) {
			list = append(list, Client{Name: "Claude Desktop", Path: filepath.Join(dir, file), There: true})
		}
	}
	if len(list) == 0 && len(dirs) > 0 && asked {
		list = append(list, Client{Name: "Claude Desktop", Path: filepath.Join(dirs[0], file)})
	}
	return list
}

// Served says which clients start recall's MCP server.
type Served struct {
	Schema  int            `json:"schema"` // 1
	Plugin  bool           `json:"plugin"` // recall's plugin, which has the server too, is enabled in Claude Code
	Clients []ClientStatus `json:"clients"`
}

// ClientStatus reports whether a client starts recall's MCP server.
type ClientStatus struct {
	Client
	Installed bool     `json:"installed"`
	Command   []string `json:"command,omitempty"` // with which the client starts it
	Works     bool     `json:"works"`             // whether that program exists
	Fault     string   `json:"fault,omitempty"`   // why its configuration can't be read
}

// Twice reports whether Claude Code starts the server both for the plugin and for its own configuration.
func (s Served) Twice() bool {
	return s.Plugin && slices.ContainsFunc(s.Clients, func(c ClientStatus) bool { return c.typed && c.Installed })
}

// Starts returns the program that the client starts.
func (s ClientStatus) Starts() string { return Started(s.Command) }

// LookAtClients reads the configurations of all clients.
func LookAtClients() (Served, error) {
	all := Served{Schema: 1, Plugin: PluginOn()}
	clients, err := Clients(Which{ClaudeCode: true, ClaudeDesktop: true, Project: true})
	for _, c := range clients {
		s := ClientStatus{Client: c}
		var fault error
		if s.Command, fault = c.command(); fault != nil {
			s.Fault = fault.Error()
		}
		if s.Installed = s.Command != nil; s.Installed {
			_, err := exec.LookPath(s.Starts())
			s.Works = err == nil
		}
		all.Clients = append(all.Clients, s)
	}
	return all, err
}

// ServerName is the name under which clients know recall's MCP server.
const ServerName = "recall"

type serverEntry struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// ErrTaken says that the client has another server of that name.
var ErrTaken = errors.New(`there is a server named "recall" that isn't recall's`)

func serversOf(d *document, add bool) (root, servers *hujson.Object, err error) {
	return d.section("a configuration", "mcpServers", add)
}

// ourServer decodes a server's entry and reports whether it is recall's, of any version.
func ourServer(v hujson.Value) (e serverEntry, ours bool) {
	if json.Unmarshal(raw(v), &e) != nil {
		return e, false
	}
	return e, strings.HasPrefix(lastName(Started(append([]string{e.Command}, e.Args...))), "recall") &&
		len(e.Args) > 0 && e.Args[len(e.Args)-1] == "mcp"
}

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

// inServers manages recall as an MCP server in a client's configuration; if typed, entries say {"type": "stdio"}. An
// entry of an earlier install is replaced in place; if another server has the name, the error is ErrTaken.
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
			if have.Command != want.Command || !slices.Equal(have.Args, want.Args) { // otherwise keep it: it may also have env
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

// serverIn returns the program that a configuration starts as recall's server, nil if none.
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
