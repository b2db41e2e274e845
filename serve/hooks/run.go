// Package hooks is recall inside a client that runs sessions: what it says when one starts, or when a prompt, an edit
// or a command goes against what was settled, and what it saves before a compaction and at the end. It knows no client:
// below it, clients turns what each sends into an Input and an Answer into what each reads. Its failures must never be
// felt: see Run.
package hooks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"recall/index"
	"recall/internal/text"
	"recall/library"
	"recall/library/disk"
	"recall/payload"
	"recall/pipeline"
	"recall/pipeline/guard"
	"recall/pipeline/worklog"
)

// A Host provides what hooks work with. Its functions open things on demand: most calls of a hook need nothing.
type Host struct {
	// Library opens the library, waiting up to lockWait for a lock.
	Library func(lockWait time.Duration) (*library.Library, error)
	// Index opens the index for queries.
	Index func(l *library.Library) (*index.Index, error)
	// Pipeline returns a pipeline that works offline.
	Pipeline   func(l *library.Library) (*pipeline.Pipeline, error)
	Archiver   func(l *library.Library) *pipeline.Archiver
	Sources    pipeline.Sources
	LibraryDir string // where the library is, or would be
	Cache      string // folder for memos and the log

	Form    payload.Options // of the page that a session starts with
	Confirm bool            // end payloads with a question that shows whether they were understood
	Notes   bool            // warn at prompts, edits and commands

	Nudge int          // number of tokens at which a session is told that its context is filling up; 0: never
	Logs  worklog.Logs // kept in projects

	Pause bool // the environment says that nothing of this session is to be kept
	// Forget has another process remove a session from the library, and reports whether that was started.
	Forget func(session string) bool

	// Told returns what others of a team recently decided in a named project; nil if there is no team.
	Told func(l *library.Library, project string) []Told

	// HandOn starts a detached process that handles PreCompact, or SessionEnd, and reports whether it started; nil in
	// that process.
	HandOn func(Input) bool
	Waits  bool // the client waits until a SessionEnd was dealt with
	Late   bool // the client takes a text only after a tool, not before it

	// LeftBehind is set if abandoned work is still running: what it uses must not be closed.
	LeftBehind atomic.Bool

	atRisk atomic.Pointer[[]string] // what a command would remove, once known
}

// LockWait is how long a hook waits for a lock.
const LockWait = 20 * time.Millisecond

// How long a hook may take before it silently gives up. The client waits for all but the last two.
const (
	briefly    = 1500 * time.Millisecond // usual: some 20 ms
	compacting = 2 * time.Second         // waiting for PreCompact to distill
	catching   = 2 * time.Second         // processing the session that was just cleared or killed
	deleting   = 10 * time.Second        // a command that removes sessions
	behind     = 100 * time.Second       // PreCompact
	afterwards = 280 * time.Second       // SessionEnd
)

// Slack is added to these in tests, which run on busy machines.
var Slack time.Duration

// limit returns how long an event may take.
func limit(e Event, in Input) time.Duration {
	long := briefly
	switch {
	case e == PreCompact:
		long = behind
	case e == SessionEnd:
		long = afterwards
	case e == SessionStart:
		long = max(compacting, catching) + briefly
	case e == PreToolUse && in.Tool == "Bash" && guard.MayRemove(in.ToolInput.Command):
		long = deleting + briefly
	}
	return Slack + long
}

// Run answers an event. On an error, a panic or a timeout there is no answer, and the error is for the log: the
// session continues as if there were no recall. A hanging call is abandoned, as the process is about to end.
func (h *Host) Run(ctx context.Context, e Event, in Input) (Answer, error) {
	if e == "" {
		e = in.Event
	}
	ctx, cancel := context.WithTimeout(ctx, limit(e, in))
	defer cancel()
	type result struct {
		answer Answer
		err    error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r = result{err: fmt.Errorf("panic: %v\n%s", p, debug.Stack())}
			}
			done <- r
		}()
		r.answer, r.err = h.answer(ctx, e, in)
	}()
	select {
	case r := <-done:
		if r.err != nil && r.answer.Deny == "" {
			return Answer{}, r.err
		}
		return r.answer, r.err
	case <-ctx.Done():
		h.LeftBehind.Store(true)
		if paths := h.atRisk.Load(); paths != nil {
			return tooLate(*paths), ctx.Err()
		}
		return Answer{}, fmt.Errorf("no answer within %v: %w", limit(e, in), ctx.Err())
	}
}

func (h *Host) answer(ctx context.Context, e Event, in Input) (Answer, error) {
	var a Answer
	var err error
	if out, said := h.out(e, in); out {
		if e == PreToolUse && in.Tool == "Bash" {
			return h.beforeDeleting(ctx, in)
		}
		return said, nil
	}
	h.logProgress(e, in)
	switch e {
	case SessionStart:
		a, err = h.start(ctx, in)
		a.Context = strings.TrimSpace(a.Context + "\n\n" + h.progressNote(in))
	case UserPromptSubmit:
		a, err = h.prompt(ctx, in)
	case PreToolUse:
		a, err = h.tool(ctx, in)
		if late := h.memoPath(in.Session, ".late"); h.Late && a.Context != "" && writeJSON(late, a.Context) == nil {
			a.Context = ""
		}
	case PostToolUse:
		if late := h.memoPath(in.Session, ".late"); readJSON(late, &a.Context) {
			os.Remove(late)
		}
	case SubagentStart:
		a = h.agentStarts(in)
	case PreCompact:
		err = h.preCompact(ctx, in)
	case SessionEnd:
		if !h.Waits || h.HandOn == nil || !h.HandOn(in) {
			err = h.end(ctx, in)
		}
	}
	if errors.Is(err, library.ErrNoLibrary) {
		return a, nil // recall isn't used here
	}
	return a, err
}

// Dir is where hooks keep their memos and their log.
func Dir() string {
	base, err := os.UserCacheDir()
	if err != nil {
		base = os.TempDir()
	}
	return filepath.Join(base, "recall", "hooks")
}

// Faults returns the last lines of the log, nil if nothing went wrong yet.
func Faults() []string {
	text, err := disk.ReadPlain(filepath.Join(Dir(), LogName))
	if err != nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[max(0, len(lines)-5):]
}

// LogName is the name of the log of errors in hooks, beside the memos.
const LogName = "hooks.log"

const logMost = 128 << 10 // bytes; a larger one becomes hooks.log.1

// Log records an error, without any content of a session. If the log can't be written, nothing happens.
func Log(dir string, e Event, in Input, took time.Duration, fault error) {
	if os.MkdirAll(dir, 0o700) != nil {
		return
	}
	path := filepath.Join(dir, LogName)
	if fi, err := os.Stat(path); err == nil && fi.Size() > logMost {
		os.Rename(path, path+".1")
	}
	f, err := disk.OpenPlain(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	what := strings.ReplaceAll(strings.TrimSpace(fault.Error()), "\n", "\n    ")
	if len(what) > 4000 {
		what = what[:4000] + " …"
	}
	fmt.Fprintf(f, "%s %s %s %dms %s\n", time.Now().UTC().Format(time.RFC3339), e.Word(), in.Session,
		took.Milliseconds(), what)
}

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
