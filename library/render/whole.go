package render

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"recall/ingest"
	"recall/internal/escape"
	"recall/payload"
)

// Whole renders a session as "md", "html" or "json". p is nil if it isn't distilled.
func Whole(format string, s *ingest.Session, a About, p *payload.Payload) ([]byte, error) {
	switch format {
	case "html":
		return HTML(s, a, p)
	case "json":
		return JSON(s, a, p)
	}
	return WholeTranscript(s, a), nil
}

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

// exportTurn is a turn with its calls in export form.
type exportTurn struct {
	ingest.Turn
	Calls []exportCall `json:"calls,omitempty"`
}

// exportCall is a call with its answers and plan as texts.
type exportCall struct {
	ingest.ToolCall
	Answers []string `json:"answers,omitempty"`
	Plan    string   `json:"plan,omitempty"`
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
	return []byte(escape.Text(b.String(), escape.JSON)), err
}

func exportTurns(turns []ingest.Turn) []exportTurn {
	all := []exportTurn{}
	for _, t := range turns {
		one := exportTurn{Turn: t}
		for _, c := range t.Calls {
			e := exportCall{ToolCall: c}
			for _, a := range c.Answers {
				e.Answers = append(e.Answers, a.Question+" "+strings.Join(a.Chosen, ", "))
			}
			if c.Plan != nil {
				e.Plan = c.Plan.Text
			}
			one.Calls = append(one.Calls, e)
		}
		all = append(all, one)
	}
	return all
}
