// Package hooks is recall inside Claude Code: what it says when a session starts, or when a prompt, an edit or a
// command goes against what was settled, and what it saves before a compaction and at the end of a session. It also
// installs itself into the client's settings. Its failures must never be felt: see Run.
package hooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"recall/internal/text"
)

// An Event is an occasion on which the client calls recall.
type Event string

const (
	SessionStart     Event = "SessionStart"
	UserPromptSubmit Event = "UserPromptSubmit"
	PreToolUse       Event = "PreToolUse"
	PreCompact       Event = "PreCompact"
	SessionEnd       Event = "SessionEnd"
)

// inner matches where a word begins inside an event's name.
var inner = text.Pattern(`([a-z])([A-Z])`)

// Word returns the event's name on the command line.
func (e Event) Word() string { return strings.ToLower(inner().ReplaceAllString(string(e), "$1-$2")) }

// ParseEvent parses an event's name in the command line's or the client's form.
func ParseEvent(word string) (Event, error) {
	for _, h := range Ours {
		if h.Event.Word() == word || string(h.Event) == word {
			return h.Event, nil
		}
	}
	return "", fmt.Errorf("no hook %q", word)
}

// Words lists the events' names on the command line.
func Words() []string {
	var out []string
	for _, h := range Ours {
		out = append(out, h.Event.Word())
	}
	return out
}

// Input is what the client sends on stdin.
type Input struct {
	Session    string    `json:"session_id"`
	Transcript string    `json:"transcript_path"`
	Cwd        string    `json:"cwd"`
	Event      Event     `json:"hook_event_name"`
	Source     string    `json:"source"` // SessionStart: startup, resume, clear, compact
	Prompt     string    `json:"prompt"`
	Tool       string    `json:"tool_name"`
	ToolInput  ToolInput `json:"tool_input"`
	Trigger    string    `json:"trigger"` // PreCompact: manual, auto
	Reason     string    `json:"reason"`  // SessionEnd
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
}

const inputMost = 64 << 20 // bytes; a Write contains the whole file

// ErrNoInput says that the client sent nothing.
var ErrNoInput = errors.New("the client sent nothing")

// ReadInput reads what the client sends. If that is nothing, the error is ErrNoInput; see FromSurroundings.
func ReadInput(r io.Reader) (Input, error) {
	var in Input
	data, err := io.ReadAll(io.LimitReader(r, inputMost))
	if err != nil {
		return in, err
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(data)) == 0 {
		return in, ErrNoInput
	}
	// A field of an unexpected type is ignored: the others, above all a command, still count.
	var odd *json.UnmarshalTypeError
	if err := json.Unmarshal(data, &in); err != nil && !(errors.As(err, &odd) && in.Session != "") {
		return in, fmt.Errorf("what the client sent: %w", err)
	}
	return in, nil
}

// Read is ReadInput with a timeout when nothing comes for Quiet: it doesn't wait for a client that never closes
// stdin.
func Read(r io.Reader) (Input, error) {
	type result struct {
		in  Input
		err error
	}
	quiet := time.NewTimer(Quiet)
	defer quiet.Stop()
	done := make(chan result, 1)
	go func() {
		in, err := ReadInput(&heard{r, quiet})
		done <- result{in, err}
	}()
	select {
	case r := <-done:
		return r.in, r.err
	case <-quiet.C:
		return Input{}, errors.New("nothing came on stdin")
	}
}

// Quiet is how long Read waits for more input.
const Quiet = time.Second

// heard is a reader that restarts a timer whenever something comes and stops it at the end.
type heard struct {
	io.Reader
	quiet *time.Timer
}

func (h *heard) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	if err != nil {
		h.quiet.Stop()
	} else {
		h.quiet.Reset(Quiet)
	}
	return n, err
}

// FromSurroundings returns what is known without input from the client: when a session run with -p ends, the client
// doesn't wait for an asynchronous hook and is gone before it has sent anything (seen with 2.1.197). The session's
// id is in the environment; roots are the folders in which Claude Code keeps sessions.
func FromSurroundings(e Event, getenv func(string) string, roots []string) (Input, error) {
	in := Input{Event: e, Session: getenv("CLAUDE_CODE_SESSION_ID"), Cwd: getenv("CLAUDE_PROJECT_DIR"), Reason: "other"}
	if e != SessionEnd || in.Session == "" || filepath.Base(in.Session) != in.Session ||
		strings.ContainsAny(in.Session, "*?[\\") {
		return in, ErrNoInput
	}
	for _, root := range roots {
		for _, folders := range []string{"projects/*/", "*/"} {
			if found, _ := fs.Glob(os.DirFS(root), folders+in.Session+".jsonl"); len(found) > 0 {
				in.Transcript = filepath.Join(root, filepath.FromSlash(found[0]))
				return in, nil
			}
		}
	}
	return in, nil // the session has no file
}

// An Answer is what a hook says. The zero value says nothing.
type Answer struct {
	Context string // for the model
	Deny    string // why a tool call is refused
	Tell    string // for the user
	Block   bool   // block the prompt, with Tell as the reason
}

// JSON returns the answer in the client's format, nil for silence. It never grants permission, which would skip the
// user's prompt.
func (a Answer) JSON(e Event) []byte {
	if a == (Answer{}) {
		return nil
	}
	type specific struct {
		Event   Event  `json:"hookEventName"`
		Text    string `json:"additionalContext,omitempty"`
		Verdict string `json:"permissionDecision,omitempty"`
		Why     string `json:"permissionDecisionReason,omitempty"`
	}
	out := specific{Event: e, Text: a.Context, Why: a.Deny}
	if a.Deny != "" {
		out.Verdict = "deny"
	}
	whole := map[string]any{}
	switch {
	case a.Block:
		whole["decision"], whole["reason"] = "block", a.Tell
	case a.Tell != "":
		whole["systemMessage"] = a.Tell
	}
	if a.Context+a.Deny != "" {
		whole["hookSpecificOutput"] = out
	}
	text, _ := json.Marshal(whole) // strings only: it can't fail
	return text
}
