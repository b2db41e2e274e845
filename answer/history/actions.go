package history

import (
	"fmt"
	"strings"
	"time"

	"recall/ingest"
	"recall/ingest/trace"
)

// Actions lists the calls of a session: the JSON form of recall show --actions.
type Actions struct {
	Schema  int              `json:"schema"` // 1
	Session ingest.SessionID `json:"session"`
	Title   string           `json:"title"`
	Actions []actionDoc      `json:"actions"` // in order, a sub-agent's after the call that started it

	Done []trace.Action `json:"-"` // the same, for display
}

type actionDoc struct {
	Turn      int               `json:"turn,omitempty"` // a sub-agent's: the turn that started it
	TurnID    ingest.TurnID     `json:"turn_id"`
	Agent     string            `json:"agent,omitempty"`
	Tool      string            `json:"tool"`
	Input     map[string]string `json:"input,omitempty"`
	Outcome   string            `json:"outcome"` // ok, failed, rejected, denied, no result
	Said      string            `json:"said,omitempty"`
	Result    string            `json:"result,omitempty"`
	At        time.Time         `json:"at,omitzero"`
	Seconds   float64           `json:"seconds,omitempty"`
	Why       string            `json:"why,omitempty"`
	Files     []trace.Touch     `json:"files,omitempty"`
	Commit    string            `json:"commit,omitempty"`
	Abandoned bool              `json:"abandoned,omitempty"`
	Copied    bool              `json:"copied,omitempty"`
}

// ActionsOf lists a session's calls.
func ActionsOf(s *ingest.Session) Actions {
	d := Actions{Schema: 1, Session: s.ID, Title: s.Title, Actions: []actionDoc{}, Done: trace.OfSession(s).Actions}
	for _, x := range d.Done {
		d.Actions = append(d.Actions, actionDoc{Turn: x.N, TurnID: x.Turn, Agent: x.Agent, Tool: x.Call.Name,
			Input: x.Call.Input, Outcome: x.Call.Outcome(), Said: x.Call.Reason, Result: x.Call.Result, At: x.At,
			Seconds: x.Took.Seconds(), Why: x.Why, Commit: x.Call.Commit, Abandoned: x.Abandoned, Copied: x.Copied,
			Files: x.Touches})
	}
	return d
}

// Called describes a call briefly.
func (Actions) Called(x trace.Action) string { return Called(x.Call) }

// Time says how long a call took; "" if unknown.
func (Actions) Time(x trace.Action) string {
	switch {
	case x.Took <= 0:
		return ""
	case x.Took < time.Minute:
		return fmt.Sprintf("%.0f s", x.Took.Seconds())
	}
	return x.Took.Round(time.Second).String()
}

// Gist describes a call's result: its outcome, and the first line that it printed.
func (Actions) Gist(x trace.Action) string {
	c, out := x.Call, x.Call.Outcome()
	if c.Reason != "" {
		return out + ": " + c.Reason
	}
	if c.Commit != "" {
		return out + ": commit " + c.Commit + " " + c.CommitMessage
	}
	for line := range strings.Lines(c.Result) {
		if line = strings.TrimSpace(line); line != "" && out != "rejected" && !strings.HasPrefix(line, "Exit code ") {
			return out + ": " + line
		}
	}
	return out
}
