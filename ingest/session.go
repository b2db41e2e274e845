// Package ingest holds recall's model of a coding session, whatever tool wrote it: a Session with its Turns and
// ToolCalls. Its sub-packages find transcripts and parse them into it.
//
// Nothing here is a full copy: base64 is never kept, and tool input and output are clipped (see the Clip constants), so
// that a Session stays small however large its file. The exact bytes are in the library.
package ingest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"recall/internal/text"
)

// SessionID names a session permanently: the transcript's own id for Claude Code and Codex, "local_…" for Cowork. It
// names files and folders, so parsers refuse ids that could escape a folder.
type SessionID string

// TurnID is stable while the file grows: the uuid of the turn's first record, or "L<line>" where there is none.
type TurnID string

// Source is the kind of tool that wrote a session.
type Source string

const (
	ClaudeCode Source = "claude-code"
	Cowork     Source = "cowork"
	Codex      Source = "codex"
	Gemini     Source = "gemini"
	OpenCode   Source = "opencode"
)

// MainName is the name of a session's conversation among its files.
const MainName = "transcript.jsonl"

// ImageOnly is the text of a prompt that consists of a picture or a document.
const ImageOnly = "[image]"

// How much of the bulky parts of a transcript a Session keeps, in bytes.
const (
	ClipInput  = 8 << 10 // a tool call's input values, each
	ClipResult = 4 << 10 // a tool call's result: its beginning and its end
	ClipText   = 1 << 20 // one turn's text
)

// A Session is one whole conversation: turns in order, abandoned branches where they left off, sub-agents' turns. The
// "map" tags say how MapText treats a string: as a "path" or a "name", "-" not at all, without a tag as text.
type Session struct {
	ID      SessionID
	Source  Source
	Aliases []SessionID // other ids it is known by: a Cowork session's cliSessionIds, ids of earlier lines

	Where Where

	Title      string    // from its records, else its first prompt; "" if nothing gives one
	Start, End time.Time // of the conversation, UTC, from the transcript; zero if it states none
	// Born is when the file was begun, according to a record before the first turn; zero if unknown. A fork's is later
	// than the turns it copied.
	Born time.Time

	Models []string `map:"name"` // in order of first use, without "<synthetic>"
	Usage  Usage    // of all messages, each once, abandoned branches included, without a fork's copies (see Own)

	Turns     []Turn
	Subagents []Subagent
	// requests by the client's own agents, which write summaries and suggest prompts: see Requests
	Unheard []Request
	Tasks   []Task  // final states, in order of creation, without deleted ones
	Parent  *Parent // where it was forked or continued from, nil if it wasn't
	// HowFork or HowBackground if its records say that it began as a copy, but not of what; else "".
	Copy        string `map:"-"`
	ContinuedIn SessionID
	PlanFiles   []string `map:"path"` // plan files it wrote or followed, as the transcript names them
	// ids of recall's items that appear anywhere in it, injected context and tool results included, in order
	Carried   []string `map:"-"`
	Pasted    []string `map:"-"` // ids of payloads that a person pasted or had fetched to resume from, in order
	Injected  []string `map:"-"` // ids of payloads that recall's hooks injected, in order
	TakenBack []string `map:"-"` // keys of queued prompts that were taken back, blocked or not a person's
	Handed    []string // texts under recall's marker that it received outside its turns: from hooks, from tools

	Opened  TurnID    // Cowork: the prompt that its record gives as the first, "" if it isn't there
	Uploads []FileRef // Cowork: files the user attached
	Outputs []FileRef // Cowork: files it produced

	Helper   bool // not a person's: a dispatch child, recall's own model call, an unattended scheduled run
	Headless bool // a program ran the client, and no person said anything in it

	Report Report
}

// Where is what a session says about where it worked. Its Project is derived from this, never from a folder's slug.
type Where struct {
	Cwds      []CwdCount // working directories with the number of turns in each, in order of first use
	Root      string     `map:"path"` // its project's folder, "" if none or not yet looked for
	Branch    string     `map:"path"` // the branch last worked on, "" if none
	Worktree  *Worktree  // last entered worktree, nil if none
	Relocated string     `map:"path"` // last "relocated" directory, ""
	Folders   []string   `map:"path"` // Cowork: folders the user gave, host paths
	Space     string     `map:"name"` // Cowork: name of its space
	Process   string     `map:"name"` // Cowork: VM name, the <p> in /sessions/<p>/mnt
	Storage   string     `map:"path"` // Cowork: the session's storage folder on the host
	Hash      string     `map:"name"` // Gemini CLI: hex SHA-256 of the folder, where nothing else identifies it
}

// CwdCount is a working directory and how many prompts and messages occurred there.
type CwdCount struct {
	Dir   string `json:"dir" map:"path"`
	Turns int    `json:"turns"`
}

// Worktree is a git worktree that the client made for the session.
type Worktree struct {
	Path     string `map:"path"`
	Original string `map:"path"` // the folder of the repository it was made from
}

// Usage counts tokens, each message once, by the values on its last line.
type Usage struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheWrite int64 `json:"cache_write"`
	CacheHour  int64 `json:"cache_hour,omitempty"` // the part of CacheWrite that is cached for an hour
	CacheRead  int64 `json:"cache_read"`
}

// Role says who speaks in a turn.
type Role string

const (
	User      Role = "user" // the person
	Assistant Role = "assistant"
	// Program is whoever else writes in the person's place: another agent, a script that runs the client, the client.
	Program Role = "program"
)

// TurnKind distinguishes what is said from everything else in a transcript.
type TurnKind string

const (
	Prompt    TurnKind = "prompt"    // what is asked for, queued prompts too; Role says by whom
	Command   TurnKind = "command"   // a slash command; Text is its arguments, Name the command
	Shell     TurnKind = "shell"     // a command the person ran with "!"
	Message   TurnKind = "message"   // the assistant's, merged over its lines
	Summary   TurnKind = "summary"   // a compaction summary, written by the model
	Interrupt TurnKind = "interrupt" // the person stopped the assistant
	Event     TurnKind = "event"     // harness notices worth keeping: background task ended, scheduled prompt, API error
	PlanTurn  TurnKind = "plan"      // "Implement the following plan": an approved plan carried into a new session
)

// A Turn is one message of one speaker.
type Turn struct {
	ID      TurnID    `json:"id"`
	N       int       `json:"n"`         // 1-based position among the session's turns
	Records []string  `json:"-" map:"-"` // uuids of all its records, including the first; evidence can cite them
	Role    Role      `json:"role"`
	Kind    TurnKind  `json:"kind"`
	Name    string    `json:"-" map:"name"` // Command: "/compact"
	At      time.Time `json:"at,omitzero"`
	// as typed or said, without injected parts, NUL and invalid UTF-8; MapText maps it part by part
	Text  string     `json:"text" map:"-"`
	Model string     `json:"-" map:"name"`
	Usage Usage      `json:"-"` // of an assistant's message
	Calls []ToolCall `json:"-"` // of an assistant's message, in order

	Queued    bool `json:"-"`                   // typed while the assistant worked
	Abandoned bool `json:"abandoned,omitempty"` // on a branch that was rewound
	Copied    bool `json:"copied,omitempty"`    // a forked session's copy of a turn that its parent owns
	Gone      bool `json:"gone,omitempty"`      // only an earlier version of its source has it: see UniteVersions
	Gap       Gap  `json:"gap,omitzero"`        // lines of its file that could not be read: see MarkGaps
	// parts of Text that are not the speaker's own words; ordered, not overlapping
	Foreign []Foreign `json:"-"`
	Carried []string  `json:"-" map:"-"`    // ids of recall's items quoted in it (rule 4 of the design)
	Uploads []string  `json:"-" map:"path"` // files attached to the prompt, as named there
	Dir     string    `json:"-" map:"path"` // working directory at the time, "" if unknown
	// identities that survive a copy into another session (see Own): by uuid, by message id, by time and text
	Keys []string `json:"-" map:"-"`

	File string `json:"-" map:"path"` // the session's file it is in, by name relative to the session
	Line int    `json:"-"`            // 1-based line of its first record
}

// Aside reports whether a turn isn't part of its session's course: it was rewound, or belongs to a parent.
func (t *Turn) Aside() bool { return t.Abandoned || t.Copied }

// OfAgent reports whether a turn under the person's name is a message of another agent.
func (t *Turn) OfAgent() bool {
	return t.Role == Program && slices.Contains([]string{"agent", "peer", "teammate"}, t.Name)
}

// Foreign is a stretch of a turn's text that comes from elsewhere: recall's output, a memory, a CLAUDE.md. It is shown,
// never believed.
type Foreign struct {
	From, To int    // byte offsets in Turn.Text
	Label    string `map:"-"` // "recall", "memory", "CLAUDE.md", "auto-memory", …
}

// Verdict is a person's response to a tool call.
type Verdict string

const (
	Unasked  Verdict = ""         // ran, or failed, without involving the person
	Rejected Verdict = "rejected" // the person refused it; Reason may say why
	Denied   Verdict = "denied"   // refused by a rule, hook, classifier or shutdown, not by the person
	Approved Verdict = "approved" // the person approved it: a plan, or a permission request
	Clarify  Verdict = "clarify"  // the person wanted to discuss a question first
)

// A ToolCall is one call of a tool and its outcome.
type ToolCall struct {
	ID   string `json:"id" map:"-"`
	Name string `json:"tool" map:"name"`
	// top-level input values as text (compact JSON if not a string), clipped to ClipInput; no base64
	Input map[string]string `json:"-"`
	// file it reads or writes, as the transcript names it; "" if none
	Path string `json:"path,omitempty" map:"path"`
	// Path on the host, where the source distinguishes them; else ""
	HostPath string `json:"host_path,omitempty" map:"path"`
	Command  string `json:"command,omitempty"` // shell command, ""

	Done      bool   `json:"done"`                     // there is a result
	Failed    bool   `json:"failed,omitempty"`         // the result reports an error, or a shell command's exit code isn't 0
	Result    string `json:"result,omitempty" map:"-"` // mapped after Command; clipped to ClipResult, beginning and end kept, without ANSI codes
	ResultLen int64  `json:"-"`                        // bytes of the whole result text
	// uuid of the record with the result; evidence for answers and refusals
	ResultTurn TurnID    `json:"-"`
	At         time.Time `json:"-"`            // of the result, zero if none
	Spilled    string    `json:"-" map:"path"` // side file with the whole result, relative to the session, ""

	Verdict Verdict `json:"verdict,omitempty"`
	Reason  string  `json:"reason,omitempty"` // the person's words about it
	// the turn of Reason if that isn't the result itself (the next prompt), ""
	ReasonTurn    TurnID   `json:"-"`
	Answers       []Answer `json:"-"`
	Open          []Answer `json:"-"` // questions that the person wanted to talk about first, without an answer
	Plan          *Plan    `json:"-"`
	Edits         []Edit   `json:"-"`
	Agent         string   `json:"subagent,omitempty" map:"-"` // id of the sub-agent it started, ""
	Commit        string   `json:"commit,omitempty" map:"-"`   // hash of a git commit it made, ""; see CommitMessage
	CommitMessage string   `json:"-"`
}

// Edit is one replacement in a file, texts clipped to ClipInput.
type Edit struct {
	Old string `json:"old"`
	New string `json:"new"`
}

// Ran reports whether a call was carried out, successfully or not.
func (c *ToolCall) Ran() bool {
	return c.Done && c.Verdict != Rejected && c.Verdict != Denied && c.Verdict != Clarify
}

// Worked reports whether a call was carried out successfully.
func (c *ToolCall) Worked() bool { return c.Ran() && !c.Failed }

// Committed reports whether a call made a git commit.
func (c *ToolCall) Committed() bool { return c.Commit != "" || c.CommitMessage != "" && c.Worked() }

// Answer is a person's answer to one question of a tool call.
type Answer struct {
	Question string   `json:"question"`
	Header   string   `json:"-"`
	Options  []Option `json:"-"`
	Chosen   []string `json:"chosen"`         // labels, or the free text as the only element
	Free     bool     `json:"free,omitempty"` // Chosen is the person's own text, not a label
	Notes    string   `json:"notes,omitempty"`
	Multi    bool     `json:"-"`
}

// Option is one choice offered with a question.
type Option struct{ Label, Description string }

// Plan is a plan proposed to the person.
type Plan struct {
	Text   string
	File   string `map:"path"` // plan file, ""
	Edited bool   // the person changed it before approving: Text is theirs
}

// Subagent is a conversation started by a call, kept apart: it only counts where the parent repeats it.
type Subagent struct {
	ID          string `map:"-"`
	Type        string `map:"name"`
	Description string
	Call        string `map:"-"` // id of the tool call that started it, "" if unknown
	Turns       []Turn
}

// Task is a todo of the session in its final state.
type Task struct {
	ID      string `json:"id" map:"name"`
	Status  string `json:"status" map:"name"` // pending, in_progress, completed
	Subject string `json:"subject"`
	Turn    TurnID `json:"-"` // where it was last touched
}

// Parent says where a session comes from.
type Parent struct {
	Session SessionID `json:"session"`
	How     string    `json:"how" map:"-"`  // HowFork, HowBranch, HowBackground, HowContinued, HowPlan
	Turns   int       `json:"turns_copied"` // copied from it
}

// FileRef is a file beside a session.
type FileRef struct {
	Name string `json:"name" map:"path"` // relative to the session's folder of such files
	Path string `json:"-" map:"path"`    // on this machine
}

// Report says what a parser did with each line: Lines = Records + Duplicates + Blank + SkippedTotal. Two records on one
// line, whose newline was lost, count as two lines; a partial last line (Tail) counts as none.
type Report struct {
	Lines        int
	Records      int // lines understood, or known to hold nothing to keep
	Duplicates   int
	Blank        int
	Unknown      map[string]int // types that this version doesn't know
	Skipped      []Skip         // the first maxSkips, see SkippedTotal
	SkippedTotal int
	Tail         bool // the last line is incomplete
}

// Skip is a line that could not be used.
type Skip struct {
	File   string `map:"path"`
	Line   int
	Reason string `map:"name"`
}

// TurnAt returns the turn with an ordinal, nil if it isn't there.
func (s *Session) TurnAt(n int) *Turn {
	at, there := slices.BinarySearchFunc(s.Turns, n, func(t Turn, n int) int { return t.N - n })
	if !there {
		return nil
	}
	return &s.Turns[at]
}

// Places maps every id that evidence can name to its turn's index: turns' own, their records', their calls' results'.
func (s *Session) Places() map[string]int {
	at := map[string]int{}
	for i := range s.Turns {
		for _, c := range s.Turns[i].Calls {
			at[string(c.ResultTurn)] = i
		}
	}
	delete(at, "")
	for i := range s.Turns {
		at[string(s.Turns[i].ID)] = i
		for _, id := range s.Turns[i].Records {
			at[id] = i
		}
	}
	return at
}

// CheckID refuses ids that could escape a folder.
func CheckID(id SessionID) error {
	s := string(id)
	unfit := s == "" || len(s) > 200 || s == "." || s == ".." || strings.ContainsAny(s, "/\\:\x00") ||
		strings.HasPrefix(s, ".") || strings.TrimSpace(s) != s || strings.ContainsFunc(s,
		func(r rune) bool { return r < ' ' })
	if unfit {
		return fmt.Errorf("session id %q is not fit for a file name", s)
	}
	return nil
}

// FolderID makes an id fit to name a folder on every system: the id itself, or the letters and digits of an unusual one
// with a hash of it. Bytes must never be lost because of a file's name.
func FolderID(id string) string {
	if fitID().MatchString(id) && !strings.HasSuffix(id, ".") && !deviceID().MatchString(id) {
		return id
	}
	plain := strings.Trim(unfit().ReplaceAllString(id, "-"), "-")
	return strings.TrimPrefix(plain[:min(len(plain), 40)]+"-"+text.Hash(id, 4), "-")
}

var (
	fitID    = text.Pattern(`^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$`)
	deviceID = text.Pattern(`(?i)^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)`)
	unfit    = text.Pattern(`[^A-Za-z0-9]+`)
)

// An Exchange is what was asked and all that answers it until the next thing is asked: the assistant's messages and
// calls, a person's answers, choices and refusals in them. It is the unit that is searched, quoted and shown, because a
// turn alone seldom can be understood. The first of a session may begin without a request, as a compacted one does.
type Exchange struct {
	N     int     // 1-based among its session's exchanges
	Turns []*Turn // in order, without turns aside; the first is the request, if any turn is
}

// Exchanges returns a session's exchanges, in order: every turn that isn't aside is in one of them. Sub-agents' turns
// are in none; what a sub-agent reported is the result of a call.
func (s *Session) Exchanges() []Exchange {
	var all []Exchange
	for i := range s.Turns {
		t := &s.Turns[i]
		if t.Aside() {
			continue
		}
		if len(all) == 0 || t.Opens() {
			all = append(all, Exchange{N: len(all) + 1})
		}
		e := &all[len(all)-1]
		e.Turns = append(e.Turns, t)
	}
	return all
}

// Opens reports whether a turn opens an exchange by asking for something, whoever wrote it: a prompt, a command with
// words behind it, a plan to carry out. What the harness or recall put into a prompt asks for nothing.
func (t *Turn) Opens() bool {
	switch t.Kind {
	case Prompt, Command, PlanTurn:
		return t.Role != Assistant && strings.TrimSpace(t.WithPasted()) != ""
	}
	return false
}
