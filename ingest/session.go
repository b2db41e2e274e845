// Package ingest holds what recall understands of a coding session, whatever tool wrote it: a Session with its Turns
// and ToolCalls. Its sub-packages find transcripts and parse them into it.
//
// Nothing here is a copy: base64 is never kept, tool input and output are clipped (see the Clip constants), so that a
// Session stays small however large its file; the exact bytes are the library's.
package ingest

import "time"

// SessionID names a session for good: the transcript's own id of Claude Code and Codex, "local_…" of Cowork. It is a
// key of files and folders: parsers refuse IDs that could leave a folder.
type SessionID string

// TurnID stays the same when the file grows: the uuid of the turn's first record, or "L<line>" where there is none.
type TurnID string

// Source is the kind of tool that wrote a session.
type Source string

const (
	ClaudeCode Source = "claude-code"
	Cowork     Source = "cowork"
	Codex      Source = "codex"
	Gemini     Source = "gemini"
	OpenCode   Source = "opencode"
	Memory     Source = "claude-code-memory" // no session: see Keeper
)

// MemoryTitle is what people call the one of Source Memory.
const MemoryTitle = "Claude Code's own memory"

// How much of the bulky parts of a transcript a Session keeps, in bytes.
const (
	ClipInput  = 8 << 10 // a tool call's input values, each
	ClipResult = 4 << 10 // a tool call's result: its beginning and its end
	ClipText   = 1 << 20 // one turn's text
)

// A Session is one conversation, whole: turns in its order, abandoned branches where they left it, sub-agents' turns.
// Tags "map" say how MapText takes a string: as a "path", a "name", "-" not at all; without one it is text.
type Session struct {
	ID      SessionID
	Source  Source
	Aliases []SessionID // other ids it is known by: a Cowork session's cliSessionIds, ids of earlier lines

	Where Where

	Title      string    // "" if nothing gives one; see TitleFrom
	TitleFrom  string    `map:"-"` // custom-title, rename, ai-title, agent-name, summary, record, prompt
	Start, End time.Time // of the conversation, UTC, from the transcript; zero if it states none
	// When its file was begun, by a record before the first turn: a fork's is later than the turns it copied; else
	// zero.
	Born time.Time

	Models   []string `map:"name"` // in order of first use, without "<synthetic>"
	Versions []string `map:"name"` // of the client, in order of first use
	Usage    Usage    // on the active path, each message once; a fork's copies left out (see Own)
	UsageAll Usage    // the whole file, abandoned branches included

	Turns     []Turn
	Subagents []Subagent
	// what the client's own agents took, which write summaries and suggest prompts: see Requests
	Unheard     []Request
	Tasks       []Task // as last seen, in order of creation; deleted ones left out
	Compactions []Compaction
	PRs         []PR
	Parent      *Parent // where it was forked or continued from, nil if it wasn't
	// HowFork or HowBackground if its records say that it began as a copy but not of what, else "".
	Copy        string `map:"-"`
	ContinuedIn SessionID
	PlanFiles   []string `map:"path"` // plan files it wrote or followed, as the transcript names them
	// ids of recall's items that stand anywhere in it, injected context and tool results included, in order
	Carried  []string `map:"-"`
	Pasted   []string `map:"-"` // those of payloads that a person pasted or had fetched to go on from, in order
	Injected []string `map:"-"` // those of payloads that recall's hooks put before it, in order
	Handed   []string // texts under recall's marker that were handed to it beside its turns: by hooks, by tools

	Cost     float64   // Cowork: US dollars as its audit log states them, 0 if it doesn't
	Schedule string    `map:"name"` // Cowork: id of the scheduled task that it is a run of, ""
	Opened   TurnID    // Cowork: the prompt that its record has as the first, "" if that isn't there
	Uploads  []FileRef // Cowork: files the user attached
	Outputs  []FileRef // Cowork: files it produced

	Archived          bool // hidden by its user in the app
	Helper            bool // not a person's: a dispatch child, recall's own model call, a scheduled run nobody typed in
	Remote            bool // ran in a cloud container: what we have may be partial
	TranscriptMissing bool // a record, or what was typed, without a conversation

	Report Report
}

// Where is what a session says about the place it worked in. The project
// is told from it (see Project), never from a folder's slug.
type Where struct {
	Cwds      []CwdCount // working directories with the number of turns in each, in order of first use
	Branch    string     `map:"path"` // the branch last worked on, "" if none
	Branches  []string   `map:"path"`
	Worktree  *Worktree  // last entered worktree, nil if none
	Relocated string     `map:"path"` // last "relocated" directory, ""
	Folders   []string   `map:"path"` // Cowork: folders the user gave, host paths
	Space     string     `map:"name"` // Cowork: name of its space
	Process   string     `map:"name"` // Cowork: VM name, the <p> in /sessions/<p>/mnt
	Storage   string     `map:"path"` // Cowork: the session's storage folder on the host
	Hash      string     `map:"name"` // Gemini CLI: SHA-256 of the folder, in hex, where nothing tells which it is
}

// CwdCount is a working directory and how many typed and spoken turns ran there.
type CwdCount struct {
	Dir   string `json:"dir" map:"path"`
	Turns int    `json:"turns"`
}

// Worktree is a git worktree that the client made for the session.
type Worktree struct {
	Path, Name, Branch string `map:"path"`
	Original           string `map:"path"` // the folder it was made from: its repository's own
}

// Usage counts tokens, each message once, with the values of its last line.
type Usage struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheWrite int64 `json:"cache_write"`
	CacheHour  int64 `json:"cache_hour,omitempty"` // of CacheWrite, what is kept for an hour
	CacheRead  int64 `json:"cache_read"`
}

// Role says who speaks in a turn.
type Role string

const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// TurnKind tells what a person typed from everything else under their name in a transcript.
type TurnKind string

const (
	Prompt    TurnKind = "prompt"    // typed by the person (queued prompts too)
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
	N       int       `json:"n"`         // 1-based place among the session's turns
	Records []string  `json:"-" map:"-"` // uuids of all its records, the first one's too; what evidence may cite
	Role    Role      `json:"role"`
	Kind    TurnKind  `json:"kind"`
	Name    string    `json:"-" map:"name"` // Command: "/compact"
	At      time.Time `json:"at,omitzero"`
	// As typed or said, injected parts removed, NUL and broken UTF-8 cleaned. MapText maps it part by part.
	Text     string     `json:"text" map:"-"`
	Thinking string     `json:"-"` // clipped to ClipText
	Model    string     `json:"-" map:"name"`
	Usage    Usage      `json:"-"` // of an assistant's message
	Calls    []ToolCall `json:"-"` // of an assistant's message, in order

	Queued    bool `json:"-"`                   // typed while the assistant worked
	Abandoned bool `json:"abandoned,omitempty"` // on a branch that was rewound
	Copied    bool `json:"copied,omitempty"`    // a forked session's copy of a turn that its parent owns
	// parts of Text that are not its speaker's own words; ordered, not overlapping
	Foreign []Foreign `json:"-"`
	Carried []string  `json:"-" map:"-"` // ids of recall's items quoted in it (rule 4 of the design)
	// ids of recall's items that a note held against it, when it was said
	Warned  []string `json:"-" map:"-"`
	Uploads []string `json:"-" map:"path"` // files attached to the prompt, as named there
	From    string   `json:"-" map:"-"`    // "transcript" or "audit" (Cowork)
	Dir     string   `json:"-" map:"path"` // working directory at the time, "" if unknown
	// identities that survive a copy into another session (see Own): by uuid, by message id, by time and text
	Keys []string `json:"-" map:"-"`

	File   string `json:"-" map:"path"` // which of the session's files, by name relative to the session
	Line   int    `json:"-"`            // 1-based line of its first record
	Offset int64  `json:"-"`            // byte offset of that line
}

// Aside reports whether a turn is no part of how its session went: it was rewound, or is a parent's.
func (t *Turn) Aside() bool { return t.Abandoned || t.Copied }

// Foreign is a stretch of a turn's text from somewhere else: recall's output, a memory, a CLAUDE.md; shown, never
// believed.
type Foreign struct {
	From, To int    // byte offsets in Turn.Text
	Label    string `map:"-"` // "recall", "claude-mem", "CLAUDE.md", "auto-memory", …
}

// Verdict is what a person said to a tool call.
type Verdict string

const (
	Unasked  Verdict = ""         // ran, or failed, without a word from the person
	Rejected Verdict = "rejected" // the person refused it; Reason may say why
	Denied   Verdict = "denied"   // a rule, hook, classifier or shutdown refused it: not the person
	Approved Verdict = "approved" // the person approved it: a plan, or a permission asked for
	Clarify  Verdict = "clarify"  // the person wanted to talk about a question first
)

// A ToolCall is one call of a tool and what came of it.
type ToolCall struct {
	ID   string `json:"id" map:"-"`
	Name string `json:"tool" map:"name"`
	// top-level input values as text (compact JSON if not a string), clipped to ClipInput; no base64
	Input map[string]string `json:"-"`
	// file it reads or writes, as the transcript names it; "" if none
	Path string `json:"path,omitempty" map:"path"`
	// Path on the host, where the source knows the difference; else ""
	HostPath string `json:"host_path,omitempty" map:"path"`
	Command  string `json:"command,omitempty"` // shell command, ""

	Done      bool   `json:"done"`             // a result is there
	Failed    bool   `json:"failed,omitempty"` // the result says error, or a shell command's exit code isn't 0
	Result    string `json:"result,omitempty"` // clipped to ClipResult, beginning and end kept; ANSI removed
	ResultLen int64  `json:"-"`                // bytes of the whole result text
	// uuid of the record with the result; evidence for answers and refusals
	ResultTurn TurnID    `json:"-"`
	At         time.Time `json:"-"`            // of the result, zero if none
	Spilled    string    `json:"-" map:"path"` // side file with the whole result, relative to the session, ""

	Verdict Verdict `json:"verdict,omitempty"`
	Reason  string  `json:"reason,omitempty"` // the person's words with it
	// turn of Reason where it is not the result itself (the next prompt), ""
	ReasonTurn    TurnID   `json:"-"`
	Answers       []Answer `json:"-"`
	Plan          *Plan    `json:"-"`
	Edits         []Edit   `json:"-"`
	Agent         string   `json:"subagent,omitempty" map:"-"` // id of the sub-agent it started, ""
	Commit        string   `json:"commit,omitempty" map:"-"`   // hash of a git commit it made, ""; CommitMessage beside
	CommitMessage string   `json:"-"`
}

// Edit is one replacement in a file, texts clipped to ClipInput.
type Edit struct {
	Old string `json:"old"`
	New string `json:"new"`
}

// Ran reports whether a call was carried out, whatever came of it.
func (c *ToolCall) Ran() bool {
	return c.Done && c.Verdict != Rejected && c.Verdict != Denied && c.Verdict != Clarify
}

// Worked reports whether a call was carried out without a failure.
func (c *ToolCall) Worked() bool { return c.Ran() && !c.Failed }

// Answer is a person's answer to one question of a tool call.
type Answer struct {
	Question string   `json:"question"`
	Header   string   `json:"-"`
	Options  []Option `json:"-"`
	Chosen   []string `json:"chosen"`         // labels, or the free text as its only element
	Free     bool     `json:"free,omitempty"` // Chosen is the person's own text, not a label
	Notes    string   `json:"notes,omitempty"`
	Multi    bool     `json:"-"`
}

// Option is one choice offered with a question.
type Option struct{ Label, Description string }

// Plan is a plan put before the person.
type Plan struct {
	Text   string
	File   string `map:"path"` // plan file, ""
	Edited bool   // the person changed it before approving: Text is theirs
}

// Subagent is a conversation that a call started, kept apart: it counts only where the parent repeats it.
type Subagent struct {
	ID          string `map:"-"`
	Type        string `map:"name"`
	Description string
	Call        string `map:"-"` // id of the tool call that started it, "" if unknown
	Turns       []Turn
}

// Task is a todo of the session at its last state.
type Task struct {
	ID      string    `json:"id" map:"name"`
	Status  string    `json:"status" map:"name"` // pending, in_progress, completed
	Subject string    `json:"subject"`
	Detail  string    `json:"-"`
	Turn    TurnID    `json:"-"` // where it was last touched
	At      time.Time `json:"-"`
}

// Compaction is a place where the client cut its context.
type Compaction struct {
	Trigger string    `json:"trigger" map:"name"` // manual, auto
	Before  int64     `json:"tokens_before"`      // 0 if unknown, as is After
	After   int64     `json:"tokens_after,omitempty"`
	Summary TurnID    `json:"-"`              // the turn holding the summary, "" if none
	Wish    string    `json:"wish,omitempty"` // what the person asked to keep
	At      time.Time `json:"at,omitzero"`
	Line    int       `json:"line"`
}

// PR is a pull request made in the session.
type PR struct {
	Number     int
	URL        string
	Repository string `map:"path"`
}

// Parent says where a session comes from.
type Parent struct {
	Session SessionID `json:"session"`
	How     string    `json:"how" map:"-"`  // HowFork, HowBranch, HowBackground, HowContinued, HowPlan
	Turns   int       `json:"turns_copied"` // from it
}

// FileRef is a file beside a session.
type FileRef struct {
	Name string `json:"name" map:"path"` // relative to the session's folder of such files
	Path string `json:"-" map:"path"`    // on this machine
	Size int64  `json:"size"`
}

// Report says what a parser did with each line: Lines = Records + Duplicates + Blank + SkippedTotal. Two records on one
// line, whose line end was lost, count as two lines; a partial last line (Tail) as none.
type Report struct {
	Files        int            `json:"files"`
	Bytes        int64          `json:"bytes"`
	Lines        int            `json:"lines"`
	Records      int            `json:"records"` // lines understood or known and ignored
	Duplicates   int            `json:"duplicates,omitempty"`
	Blank        int            `json:"blank,omitempty"`
	Repaired     int            `json:"repaired_parents,omitempty"` // dangling parents mended
	Ignored      map[string]int `json:"ignored,omitempty"`          // known types that hold nothing to keep
	Unknown      map[string]int `json:"unknown,omitempty"`          // types that this version doesn't know
	Skipped      []Skip         `json:"skipped,omitempty"`          // the first maxSkips, see SkippedTotal
	SkippedTotal int            `json:"skipped_total,omitempty"`
	Tail         *Skip          `json:"tail,omitempty"`             // a partial last line that waits, nil if none
	Newer        string         `json:"newer,omitempty" map:"name"` // a client's version not tried with, ""
	Conflicts    []string       `json:"conflicts,omitempty"`        // two files claiming one id, … in words
}

// Skip is a line that could not be used.
type Skip struct {
	File   string `json:"file" map:"path"`
	Line   int    `json:"line"`
	Offset int64  `json:"offset"`
	Reason string `json:"reason" map:"name"`
}

// Places are the places of the turns by every id evidence may name: their own, their records', their calls' results'.
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
