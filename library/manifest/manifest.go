// Package manifest tells what a session's work needs and left behind: the files it read, the packages it installed,
// what it made on the way and in the end, and which of that could be made again. Two scripts are written from it for
// the session's machine: one clears up but for what can't be made again, one puts everything back.
//
// A manifest is derived from the parsed, redacted session and the archived bytes alone: the same session gives the same
// one. What depends on the disk now (is the source still there, a hash outside the library) is looked at beside it.
package manifest

import (
	"cmp"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"recall/ingest"
	"recall/ingest/trace"
	"recall/library/disk"
	"recall/text"
)

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
	Schema  int              `json:"schema"`
	Session ingest.SessionID `json:"session"`
	Source  ingest.Source    `json:"source"`
	Task    string           `json:"task"`
	Machine Machine          `json:"machine"` // that its commands ran on
	Start   time.Time        `json:"start,omitzero"`
	End     time.Time        `json:"end,omitzero"`

	Packages     []trace.Package `json:"packages"`
	Inputs       []Input         `json:"inputs"`
	Connectors   []Connector     `json:"connectors"`
	Intermediate []Made          `json:"intermediate"`
	Outputs      []Made          `json:"outputs"`
	Commits      []trace.Commit  `json:"commits"`
}

// Input is a file that was there before and was read.
type Input struct {
	Path    string  `json:"path"`           // as the session's machine names it
	Host    string  `json:"host,omitempty"` // the same file on the host, where it differs
	Machine Machine `json:"machine"`
	// of the bytes in the library; "" if they aren't there
	SHA256 string `json:"sha256,omitempty"`
	Size   int64  `json:"size,omitempty"`
	// that read it first, 0 if it was handed over with the session
	Turn int `json:"turn,omitempty"`
}

// Connector is what the session asked a server for, or had it do, once each: a page of Notion, a search in Gmail, an
// address of the web.
type Connector struct {
	Server string `json:"server"` // "web" for what the client fetches itself
	Tool   string `json:"tool"`
	What   string `json:"what,omitempty"` // it was called with, on one line
	Turn   int    `json:"turn"`           // that called it first
}

// Made is a file that the session made or changed, as it was at its end.
type Made struct {
	Path        string    `json:"path"`
	Host        string    `json:"host,omitempty"`
	Machine     Machine   `json:"machine"`
	How         trace.How `json:"how"` // created or edited
	Rebuildable bool      `json:"rebuildable"`
	Reason      string    `json:"reason"`            // why it is, or isn't
	Command     string    `json:"command,omitempty"` // that made it, on one line if it can be
	Dir         string    `json:"dir,omitempty"`     // that it ran in
	From        []string  `json:"from,omitempty"`    // paths that it was made from
	SHA256      string    `json:"sha256,omitempty"`  // of the bytes in the library
	Size        int64     `json:"size,omitempty"`
	Turn        int       `json:"turn,omitempty"` // that changed it last; 0 if no call is seen to
	// ids of the file tool's calls that hold its content, in order
	Calls []string `json:"-"`
}

// Archived is a file of the session whose bytes are in the library.
type Archived struct {
	Name   string // relative to the session: "uploads/a.csv"
	Size   int64
	SHA256 string
}

// Of makes the manifest of a redacted session from what it did; archived are its uploads and outputs in the library.
func Of(s *ingest.Session, did *trace.Trace, archived []Archived) Manifest {
	m := Manifest{Schema: Schema, Session: s.ID, Source: s.Source, Task: s.Title, Start: s.Start, End: s.End,
		Packages: append([]trace.Package{}, did.Packages...), Inputs: []Input{}, Connectors: []Connector{},
		Intermediate: []Made{}, Outputs: []Made{}, Commits: append([]trace.Commit{}, did.Commits...)}
	w := newWork(s, archived)
	m.Machine = w.machine
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

// connectorOf is the server that a call went to; false for the client's and the app's tools, recall, and file servers.
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

// InputNow is how an input is found on this computer now.
type InputNow struct {
	Path   string `json:"path"`
	There  bool   `json:"there"`
	SHA256 string `json:"sha256,omitempty"`
}

// hashMost is the size up to which a file is read to be hashed.
const hashMost = 256 << 20

// Look says how an input of this computer is found now.
func (in Input) Look() InputNow {
	now := InputNow{Path: cmp.Or(in.Host, in.Path)}
	fi, err := os.Lstat(now.Path)
	if err != nil || !fi.Mode().IsRegular() {
		return now
	}
	now.There = true
	if fi.Size() <= hashMost {
		if sum, err := disk.SumFile(now.Path); err == nil {
			now.SHA256 = sum.SHA256
		}
	}
	return now
}
