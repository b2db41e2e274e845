// Package hooks is recall inside a client that runs sessions: what it says when one starts, or when a prompt, an edit
// or a command goes against what was settled, and what it saves before a compaction and at the end. It knows no client:
// below it, clients turns what each sends into an Input and an Answer into what each reads. Its failures must never be
// felt: see Run.
package hooks

import (
	"fmt"
	"slices"
	"strings"

	"recall/internal/text"
)

// An Event is an occasion on which a client calls recall.
type Event string

const (
	SessionStart     Event = "SessionStart"
	UserPromptSubmit Event = "UserPromptSubmit"
	PreToolUse       Event = "PreToolUse"
	PostToolUse      Event = "PostToolUse" // for clients that take no text before a tool: see Host.Late
	SubagentStart    Event = "SubagentStart"
	PreCompact       Event = "PreCompact"
	SessionEnd       Event = "SessionEnd"
)

// Events lists all events.
var Events = []Event{SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, SubagentStart, PreCompact, SessionEnd}

// inner matches where a word begins inside an event's name.
var inner = text.Pattern(`([a-z])([A-Z])`)

// Word returns the event's name on the command line.
func (e Event) Word() string { return strings.ToLower(inner().ReplaceAllString(string(e), "$1-$2")) }

// ParseEvent parses an event's name in the command line's form or as it is.
func ParseEvent(word string) (Event, error) {
	i := slices.IndexFunc(Events, func(e Event) bool { return e.Word() == word || string(e) == word })
	if i < 0 {
		return "", fmt.Errorf("no hook %q", word)
	}
	return Events[i], nil
}

// Input is what a client says about an event.
type Input struct {
	Session    string    `json:"session_id"`
	Transcript string    `json:"transcript_path"`
	Cwd        string    `json:"cwd"`
	Event      Event     `json:"hook_event_name"`
	Source     string    `json:"source"` // SessionStart: startup, resume, clear, compact
	Prompt     string    `json:"prompt"`
	Tool       string    `json:"tool_name"` // by Claude Code's names: Bash, Edit, Write
	ToolInput  ToolInput `json:"tool_input"`
	ToolUse    string    `json:"tool_use_id"`
	AgentType  string    `json:"agent_type"` // SubagentStart
	Trigger    string    `json:"trigger"`    // PreCompact: manual, auto
	Reason     string    `json:"reason"`     // SessionEnd: clear and idle if the person goes on working
}

// ToolInput holds the fields that are read of a tool's input; for other tools it is empty.
type ToolInput struct {
	Command   string `json:"command"`
	Path      string `json:"file_path"`
	Notebook  string `json:"notebook_path"`
	Old       string `json:"old_string"`
	New       string `json:"new_string"`
	Content   string `json:"content"`
	NewSource string `json:"new_source"`
	Prompt    string `json:"prompt"` // a sub-agent's task
	AgentType string `json:"subagent_type"`
}

// An Answer is what a hook says. The zero value says nothing. It never grants permission, which would skip the user's
// prompt.
type Answer struct {
	Context string // for the model
	Deny    string // why a tool call is refused
	Tell    string // for the user
	Block   bool   // block the prompt, with Tell as the reason
}
