package render

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"recall/ingest"
	"recall/payload"
	"recall/sink"
)

// Document is the JSON form of a session.
type Document struct {
	Schema  int              `json:"schema"`
	Session ingest.SessionID `json:"session"`
	Source  ingest.Source    `json:"source"`
	Title   string           `json:"title"`
	Project string           `json:"project"`
	Branch  string           `json:"branch,omitempty"`
	Start   time.Time        `json:"start,omitzero"`
	End     time.Time        `json:"end,omitzero"`
	Parent  string           `json:"parent,omitempty"`
	Turns   []exportTurn     `json:"turns"`
	Agents  []exportAgent    `json:"subagents"`
	Items   []payload.Item   `json:"items"`
}

type exportTurn struct {
	ID        string       `json:"id"`
	N         int          `json:"n"`
	Role      string       `json:"role"`
	Kind      string       `json:"kind"`
	At        time.Time    `json:"at,omitzero"`
	Text      string       `json:"text"`
	Abandoned bool         `json:"abandoned,omitempty"`
	Copied    bool         `json:"copied,omitempty"`
	Calls     []exportCall `json:"calls,omitempty"`
}

type exportCall struct {
	ID      string   `json:"id"`
	Tool    string   `json:"tool"`
	Command string   `json:"command,omitempty"`
	Path    string   `json:"path,omitempty"`
	Host    string   `json:"host_path,omitempty"`
	Result  string   `json:"result,omitempty"`
	Done    bool     `json:"done"`
	Failed  bool     `json:"failed,omitempty"`
	Verdict string   `json:"verdict,omitempty"`
	Reason  string   `json:"reason,omitempty"`
	Answers []string `json:"answers,omitempty"`
	Plan    string   `json:"plan,omitempty"`
	Commit  string   `json:"commit,omitempty"`
	Agent   string   `json:"subagent,omitempty"`
}

type exportAgent struct {
	ID    string       `json:"id"`
	Type  string       `json:"type,omitempty"`
	About string       `json:"about,omitempty"`
	Call  string       `json:"call,omitempty"`
	Turns []exportTurn `json:"turns"`
}

// JSON renders a session for programs; p may be nil.
func JSON(s *ingest.Session, a About, p *payload.Payload) ([]byte, error) {
	doc := Document{Schema: 1, Session: s.ID, Source: s.Source, Title: a.Title, Project: a.Project,
		Branch: s.Where.Branch,
		Start:  s.Start, End: s.End, Turns: exportTurns(s.Turns), Agents: []exportAgent{}, Items: []payload.Item{}}
	if s.Parent != nil {
		doc.Parent = string(s.Parent.Session)
	}
	for _, a := range s.Subagents {
		doc.Agents = append(doc.Agents, exportAgent{a.ID, a.Type, a.Description, a.Call, exportTurns(a.Turns)})
	}
	if p != nil {
		doc.Items = append(doc.Items, p.Items...)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(doc)
	return []byte(sink.Text(b.String(), sink.JSON)), err
}

func exportTurns(turns []ingest.Turn) []exportTurn {
	all := []exportTurn{}
	for _, t := range turns {
		one := exportTurn{ID: string(t.ID), N: t.N, Role: string(t.Role), Kind: string(t.Kind), At: t.At, Text: t.Text,
			Abandoned: t.Abandoned, Copied: t.Copied}
		for _, c := range t.Calls {
			one.Calls = append(one.Calls, exportCallOf(c))
		}
		all = append(all, one)
	}
	return all
}

func exportCallOf(c ingest.ToolCall) exportCall {
	e := exportCall{ID: c.ID, Tool: c.Name, Command: c.Command, Path: c.Path, Host: c.HostPath, Result: c.Result,
		Done: c.Done, Failed: c.Failed,
		Verdict: string(c.Verdict), Reason: c.Reason, Commit: c.Commit, Agent: c.Agent}
	for _, a := range c.Answers {
		e.Answers = append(e.Answers, a.Question+" "+strings.Join(a.Chosen, ", "))
	}
	if c.Plan != nil {
		e.Plan = c.Plan.Text
	}
	return e
}
