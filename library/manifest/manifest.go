// Package manifest says what a session's work needs and what it left behind: the files it read, the packages it
// installed, what it made on the way and in the end, and which of that could be made again. From it, two scripts are
// written for the session's machine: one removes everything except what can't be made again, one puts everything back.
//
// A manifest is derived only from the parsed, redacted session and the archived bytes, so the same session gives the
// same manifest. What depends on the disk now (does the source still exist, a hash outside the library) is separate.
package manifest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"recall/ingest"
	"recall/ingest/jsonl"
	"recall/ingest/trace"
	"recall/internal/text"
	"recall/library/disk"
)

// Schema is the version of the manifest's format.
const Schema = 1

// Machine is where a path is.
type Machine string

const (
	VM   Machine = "vm"   // in the session's virtual machine, and lost with it
	Host Machine = "host" // on the computer that the session ran on
)

// A Manifest describes what one session's work consists of.
type Manifest struct {
	Schema  int              `json:"schema"`
	Session ingest.SessionID `json:"session"`
	Source  ingest.Source    `json:"source"`
	Task    string           `json:"task"`
	Machine Machine          `json:"machine"` // where its commands ran
	Start   time.Time        `json:"start,omitzero"`
	End     time.Time        `json:"end,omitzero"`

	Packages     []trace.Package `json:"packages"`
	Inputs       []Input         `json:"inputs"`
	Connectors   []Connector     `json:"connectors"`
	Intermediate []Made          `json:"intermediate"`
	Outputs      []Made          `json:"outputs"`
	Commits      []trace.Commit  `json:"commits"`
	Unfollowed   []string        `json:"unfollowed,omitempty"` // commands that moved files with names only the shell knew
}

// Input is a file that existed before and was read.
type Input struct {
	Path    string  `json:"path"`           // as named on the session's machine
	Host    string  `json:"host,omitempty"` // the same file's path on the host, if different
	Machine Machine `json:"machine"`
	// SHA256 is of the bytes in the library; "" if they aren't there.
	SHA256 string `json:"sha256,omitempty"`
	Size   int64  `json:"size,omitempty"`
	// Turn is the one that read it first, 0 if it was given with the session.
	Turn int `json:"turn,omitempty"`
}

// Connector is something that the session asked a server for or had it do, listed once: a page of Notion, a search in
// Gmail, an address on the web.
type Connector struct {
	Server string `json:"server"` // "web" for what the client fetches itself
	Tool   string `json:"tool"`
	What   string `json:"what,omitempty"` // its main argument, on one line
	Turn   int    `json:"turn"`           // that called it first
}

// Made is a file that the session made or changed, as of its end.
type Made struct {
	Path        string    `json:"path"`
	Host        string    `json:"host,omitempty"`
	Machine     Machine   `json:"machine"`
	How         trace.How `json:"how"` // created or edited
	Rebuildable bool      `json:"rebuildable"`
	Reason      string    `json:"reason"`            // why it is or isn't rebuildable
	Command     string    `json:"command,omitempty"` // that made it, on one line if possible
	Dir         string    `json:"dir,omitempty"`     // where Command ran
	From        []string  `json:"from,omitempty"`    // the files it was made from
	SHA256      string    `json:"sha256,omitempty"`  // of the bytes in the library
	Size        int64     `json:"size,omitempty"`
	Turn        int       `json:"turn,omitempty"` // that changed it last; 0 if no call is known to
	// Calls has the ids of the file tool's calls that hold its content, in order.
	Calls []string `json:"-"`
}

// Archived is a file of the session whose bytes are in the library.
type Archived struct {
	Name   string // relative to the session: "uploads/a.csv"
	Size   int64
	SHA256 string
}

// Of makes the manifest of a redacted session from its trace. archived lists its uploads and outputs in the library.
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

// TOML writes the manifest with the names that its JSON form has.
func (m Manifest) TOML() ([]byte, error) {
	said, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	in := json.NewDecoder(bytes.NewReader(said))
	in.UseNumber()
	var fields map[string]any
	if err := in.Decode(&fields); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = toml.NewEncoder(&out).SetMarshalJSONNumbers(true).Encode(fields)
	return out.Bytes(), err
}

// FileName returns the name of its TOML form beside those of other sessions.
func (m Manifest) FileName() string { return m.short() + ".toml" }

// appServers are the app's own servers, which give access to the session's machine and the app itself.
var appServers = text.Set("workspace cowork session_info scheduled-tasks visualize")

// fetches are the web tools of the client and the app, without "mcp__".
var fetches = text.Set("WebFetch WebSearch workspace__web_fetch")

// connectorOf returns the server that a call went to; false for tools of the client, the app and recall, and for file
// servers.
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

// InputNow is the state of an input on this computer now.
type InputNow struct {
	Path   string `json:"path"`
	There  bool   `json:"there"`
	SHA256 string `json:"sha256,omitempty"`
}

// hashMost is the largest size of a file that is hashed.
const hashMost = 256 << 20

// Look returns the current state of an input on this computer.
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

// Contents returns, by path, the exact contents of files that the session wrote with file tools, reconstructed from
// the writes and edits in its archived lines. A file whose edits don't fit is omitted: a command must have changed it
// in between.
func (m Manifest) Contents(ctx context.Context, found ingest.Found) (map[string][]byte, error) {
	ids := map[string]bool{}
	for _, f := range m.made() {
		for _, id := range f.Calls {
			ids[id] = true
		}
	}
	out := map[string][]byte{}
	if len(ids) == 0 {
		return out, nil
	}
	inputs := map[string]toolInput{}
	for _, f := range found.Files {
		switch f.Role {
		case ingest.Transcript, ingest.SubagentFile, ingest.AuditLog:
			if err := readInputs(ctx, f, ids, inputs); err != nil {
				return nil, err
			}
		}
	}
	for _, f := range m.made() {
		if text, ok := replay(f.Calls, inputs); ok {
			out[f.Path] = text
		}
	}
	return out, nil
}

// made returns all files that the session made or changed.
func (m Manifest) made() []Made {
	return slices.Concat(m.Intermediate, m.Outputs)
}

// toolInput is the input of a file tool's call.
type toolInput struct {
	Content *string `json:"content"`
	toolEdit
	Edits []toolEdit `json:"edits"`
}

type toolEdit struct {
	Old *string `json:"old_string"`
	New string  `json:"new_string"`
	All bool    `json:"replace_all"`
}

// readInputs reads the inputs of the wanted calls from a transcript. Lines that can't be read in full are skipped.
func readInputs(ctx context.Context, f ingest.File, ids map[string]bool, into map[string]toolInput) error {
	return ingest.EachLine(ctx, f, func(line jsonl.Line) {
		if line.Cut > 0 || !bytes.Contains(line.Bytes, []byte(`"tool_use"`)) {
			return
		}
		var rec struct {
			Message struct {
				Content json.RawMessage `json:"content"`
			} `json:"message"`
		}
		var blocks []struct {
			ID    string          `json:"id"`
			Input json.RawMessage `json:"input"`
		}
		if json.Unmarshal(line.Bytes, &rec) == nil && json.Unmarshal(rec.Message.Content, &blocks) == nil {
			for _, b := range blocks {
				var in toolInput
				if ids[b.ID] && json.Unmarshal(b.Input, &in) == nil {
					into[b.ID] = in
				}
			}
		}
	})
}

// replay performs the writes and edits of calls; false if one is missing or doesn't fit.
func replay(calls []string, inputs map[string]toolInput) ([]byte, bool) {
	text, begun := "", false
	for _, id := range calls {
		in, ok := inputs[id]
		switch {
		case !ok:
			return nil, false
		case in.Content != nil:
			text, begun = *in.Content, true
			continue
		}
		edits := in.Edits
		if in.Old != nil {
			edits = []toolEdit{in.toolEdit}
		}
		for _, e := range edits {
			ambiguous := e.Old == nil || *e.Old == "" || !e.All && strings.Count(text, *e.Old) != 1 ||
				!strings.Contains(text, *e.Old)
			if ambiguous {
				return nil, false
			}
			text = strings.ReplaceAll(text, *e.Old, e.New)
		}
		if len(edits) == 0 {
			return nil, false
		}
	}
	return []byte(text), begun
}
