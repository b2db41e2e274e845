// Package manifest tells what a session's work needs and left behind: the files
// it read, the packages it installed, what it made on the way and in the end,
// and which of that could be made again. From it, two scripts are written for
// the machine that the session ran in: one that keeps what can't be made again
// and clears up, one that puts everything back.
//
// A manifest is derived from the parsed, redacted session and the archived
// bytes alone: the same session gives the same manifest. What depends on the
// disk now (is the source still there, what is the hash of a file outside the
// library) is looked at when somebody asks, and never written into it.
package manifest

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"recall/ingest"
	"recall/ingest/trace"
	"recall/text"
)

// Name is the manifest's file in a session's folder.
const Name = "manifest.toml"

// Schema is the version of the manifest's form.
const Schema = 1

// Machine is where a path lies.
type Machine string

const (
	VM   Machine = "vm"   // in the session's virtual machine, and lost with it
	Host Machine = "host" // on the computer that the session ran on
)

// A Manifest is what one session's work consists of.
type Manifest struct {
	Schema  int              `toml:"schema" json:"schema"`
	Session ingest.SessionID `toml:"session" json:"session"`
	Source  ingest.Source    `toml:"source" json:"source"`
	Task    string           `toml:"task" json:"task"`
	Machine Machine          `toml:"machine" json:"machine"` // that its commands ran on
	Start   time.Time        `toml:"start,omitempty" json:"start,omitzero"`
	End     time.Time        `toml:"end,omitempty" json:"end,omitzero"`

	Packages     []Package   `toml:"packages,omitempty" json:"packages"`
	Inputs       []Input     `toml:"inputs,omitempty" json:"inputs"`
	Connectors   []Connector `toml:"connectors,omitempty" json:"connectors"`
	Intermediate []Made      `toml:"intermediate,omitempty" json:"intermediate"`
	Outputs      []Made      `toml:"outputs,omitempty" json:"outputs"`
	Commits      []Commit    `toml:"commits,omitempty" json:"commits"`
}

// Package is something that the session installed.
type Package struct {
	Manager string `toml:"manager" json:"manager"`
	Name    string `toml:"name" json:"name"`
	Version string `toml:"version,omitempty" json:"version,omitempty"` // "" if neither command nor output says
	Dir     string `toml:"dir,omitempty" json:"dir,omitempty"`         // of the project that it was installed for
	Had     bool   `toml:"had,omitempty" json:"had,omitempty"`         // it was there already
	Command string `toml:"command" json:"command"`                     // that did it
	Turn    int    `toml:"turn" json:"turn"`
}

// Input is a file that was there before and was read.
type Input struct {
	Path    string  `toml:"path" json:"path"`                     // as the session's machine names it
	Host    string  `toml:"host,omitempty" json:"host,omitempty"` // the same file on the host, where it differs
	Machine Machine `toml:"machine" json:"machine"`
	// of the bytes in the library; "" if they aren't there
	SHA256 string `toml:"sha256,omitempty" json:"sha256,omitempty"`
	Size   int64  `toml:"size,omitempty" json:"size,omitempty"`
	// that read it first, 0 if it was handed over with the session
	Turn int `toml:"turn,omitempty" json:"turn,omitempty"`
}

// Connector is something that the session asked a server for, or had it do: a page of
// Notion, a search in Gmail, an address of the web. Each is there once.
type Connector struct {
	Server string `toml:"server" json:"server"` // "web" for what the client fetches itself
	Tool   string `toml:"tool" json:"tool"`
	What   string `toml:"what,omitempty" json:"what,omitempty"` // it was called with, on one line
	Turn   int    `toml:"turn" json:"turn"`                     // that called it first
}

// Made is a file that the session made or changed, as it was at its end.
type Made struct {
	Path        string    `toml:"path" json:"path"`
	Host        string    `toml:"host,omitempty" json:"host,omitempty"`
	Machine     Machine   `toml:"machine" json:"machine"`
	How         trace.How `toml:"how" json:"how"` // created or edited
	Rebuildable bool      `toml:"rebuildable" json:"rebuildable"`
	Reason      string    `toml:"reason" json:"reason"`                       // why it is, or isn't
	Command     string    `toml:"command,omitempty" json:"command,omitempty"` // that made it, on one line if it can be
	Dir         string    `toml:"dir,omitempty" json:"dir,omitempty"`         // that it ran in
	From        []string  `toml:"from,omitempty" json:"from,omitempty"`       // paths that it was made from
	SHA256      string    `toml:"sha256,omitempty" json:"sha256,omitempty"`   // of the bytes in the library
	Size        int64     `toml:"size,omitempty" json:"size,omitempty"`
	Turn        int       `toml:"turn,omitempty" json:"turn,omitempty"` // that changed it last; 0 if no call is seen to
	// ids of the file tool's calls that hold its content, in order
	Calls []string `toml:"calls,omitempty" json:"-"`
}

// Commit is a git commit that the session made.
type Commit struct {
	Hash    string    `toml:"hash,omitempty" json:"hash,omitempty"`
	Subject string    `toml:"subject,omitempty" json:"subject,omitempty"`
	Branch  string    `toml:"branch,omitempty" json:"branch,omitempty"`
	Dir     string    `toml:"dir,omitempty" json:"dir,omitempty"`
	At      time.Time `toml:"at,omitempty" json:"at,omitzero"`
	Turn    int       `toml:"turn" json:"turn"`
}

// Archived is a file of the session whose bytes are in the library.
type Archived struct {
	Name   string // relative to the session: "uploads/a.csv"
	Size   int64
	SHA256 string
}

// Of makes the manifest of a redacted session from what it did. archived are
// its uploads and outputs that the library has.
func Of(s *ingest.Session, did *trace.Trace, archived []Archived) Manifest {
	m := Manifest{Schema: Schema, Session: s.ID, Source: s.Source, Task: s.Title, Start: s.Start, End: s.End,
		Packages: []Package{}, Inputs: []Input{}, Connectors: []Connector{}, Intermediate: []Made{}, Outputs: []Made{},
		Commits: []Commit{}}
	w := newWork(s, archived)
	m.Machine = w.machine
	for _, p := range did.Packages {
		m.Packages = append(m.Packages, Package{Manager: p.Manager, Name: p.Name, Version: p.Version, Dir: p.Dir,
			Had: p.Had, Command: p.Command, Turn: p.N})
	}
	for _, c := range did.Commits {
		m.Commits = append(m.Commits, Commit{Hash: c.Hash, Subject: c.Subject, Branch: c.Branch, Dir: c.Dir, At: c.At,
			Turn: c.N})
	}
	for i := range did.Actions {
		a := &did.Actions[i]
		w.action(a)
		if c, ok := connectorOf(a); ok && !slices.ContainsFunc(m.Connectors, func(had Connector) bool {
			had.Turn = c.Turn
			return had == c
		}) {
			m.Connectors = append(m.Connectors, c)
		}
	}
	w.fill(&m)
	return m
}

// appServers are the app's own: what they give is the session's machine, and the app itself.
var appServers = text.Set("workspace cowork session_info scheduled-tasks visualize")

// fetches are the client's and the app's tools for the web, without "mcp__".
var fetches = text.Set("WebFetch WebSearch workspace__web_fetch")

// connectorOf is the server that a call went to; false for tools of the client and the app,
// for recall, and for a server that works on files.
func connectorOf(a *trace.Action) (Connector, bool) {
	name, mcp := strings.CutPrefix(a.Call.Name, "mcp__")
	server, tool, _ := strings.Cut(name, "__")
	if fetches[name] {
		mcp, server, tool = true, "web", cmp.Or(tool, name)
	}
	ofNoApp := !mcp || !a.Call.Worked() || appServers[server] || ingest.OwnTool(a.Call.Name, "") || len(a.Touches) > 0
	if ofNoApp {
		return Connector{}, false
	}
	what := a.Call.With()
	if keys := slices.Sorted(maps.Keys(a.Call.Input)); what == "" && len(keys) > 0 {
		what = a.Call.Input[keys[0]]
	}
	return Connector{Server: server, Tool: tool, What: text.Clip(text.OneLine(what), 200), Turn: a.N}, true
}

const head = "# What this session's work needs and left behind; made by recall from its transcript, " +
	"and made again when that grows.\n"

// Encode is the content of manifest.toml.
func (m Manifest) Encode() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(head)
	e := toml.NewEncoder(&b)
	e.SetArraysMultiline(false)
	err := e.Encode(m)
	return b.Bytes(), err
}
