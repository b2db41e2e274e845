package ingest

import "time"

// An Inspection is what a parser got out of a session, for people to check: counts, each turn in a line, every line
// that was not used. Texts are shortened. Its JSON is stable: "recall inspect --json".
type Inspection struct {
	ID        SessionID   `json:"id"`
	Source    Source      `json:"source"`
	Aliases   []SessionID `json:"aliases,omitempty"`
	Title     string      `json:"title"`
	TitleFrom string      `json:"title_from,omitempty"`
	Start     time.Time   `json:"start,omitzero"`
	End       time.Time   `json:"end,omitzero"`
	Flags     []string    `json:"flags,omitempty"` // archived, helper, remote, transcript missing
	Parent    *Parent     `json:"parent,omitempty"`
	Continued SessionID   `json:"continued_in,omitempty"`

	Dirs     []CwdCount `json:"dirs,omitempty"`
	Branches []string   `json:"branches,omitempty"`
	Worktree string     `json:"worktree,omitempty"`
	Original string     `json:"worktree_of,omitempty"`
	Folders  []string   `json:"folders,omitempty"`
	Space    string     `json:"space,omitempty"`
	Models   []string   `json:"models,omitempty"`
	Versions []string   `json:"versions,omitempty"`
	Usage    Usage      `json:"usage"`
	UsageAll Usage      `json:"usage_all"` // abandoned branches included
	Cost     float64    `json:"cost_usd,omitempty"`

	Counts      Counts              `json:"counts"`
	Turns       []InspectedTurn     `json:"turns"`
	Compactions []Compaction        `json:"compactions,omitempty"`
	Tasks       []Task              `json:"tasks,omitempty"`
	Subagents   []InspectedSubagent `json:"subagents,omitempty"`
	PRs         []string            `json:"prs,omitempty"`
	PlanFiles   []string            `json:"plan_files,omitempty"`
	Uploads     []FileRef           `json:"uploads,omitempty"`
	Outputs     []FileRef           `json:"outputs,omitempty"`
	Report      Report              `json:"report"`
}

// Counts are how many of a kind a session has; what is abandoned is counted apart.
type Counts struct {
	Prompts           int `json:"prompts"`
	PromptsAbandoned  int `json:"prompts_abandoned,omitempty"`
	Messages          int `json:"messages"`
	MessagesAbandoned int `json:"messages_abandoned,omitempty"`
	Commands          int `json:"commands,omitempty"`
	Interrupts        int `json:"interrupts,omitempty"`
	Copied            int `json:"copied,omitempty"` // turns that a parent session owns, in no other count
	Branches          int `json:"branches,omitempty"`
	Calls             int `json:"calls"` // of the active path, like all that follow
	Unanswered        int `json:"calls_without_result,omitempty"`
	Failed            int `json:"failed,omitempty"`
	Rejected          int `json:"rejected,omitempty"`
	Denied            int `json:"denied,omitempty"`
	Approved          int `json:"approved,omitempty"`
	Answers           int `json:"answers,omitempty"`
	Plans             int `json:"plans,omitempty"`
	Commits           int `json:"commits,omitempty"`
}

// InspectedTurn is a turn in a line.
type InspectedTurn struct {
	N     int             `json:"n"`
	ID    TurnID          `json:"id"`
	Kind  TurnKind        `json:"kind"`
	Name  string          `json:"name,omitempty"`
	At    time.Time       `json:"at,omitzero"`
	Text  string          `json:"text,omitempty"`
	Flags []string        `json:"flags,omitempty"` // abandoned, copied, queued, audit, "quotes …" for foreign parts
	File  string          `json:"file,omitempty"`
	Line  int             `json:"line,omitempty"`
	Calls []InspectedCall `json:"calls,omitempty"`
}

// InspectedCall is a tool call in a line.
type InspectedCall struct {
	Tool    string   `json:"tool"`
	What    string   `json:"what,omitempty"` // its command, path or other subject
	State   string   `json:"state"`          // ok, failed, no result
	Verdict Verdict  `json:"verdict,omitempty"`
	Reason  string   `json:"reason,omitempty"`
	Answers []Answer `json:"answers,omitempty"`
	Plan    string   `json:"plan,omitempty"`
	Commit  string   `json:"commit,omitempty"`
}

// InspectedSubagent is a sub-agent in a line.
type InspectedSubagent struct {
	ID          string `json:"id"`
	Type        string `json:"type,omitempty"`
	Description string `json:"description,omitempty"`
	Call        string `json:"call,omitempty"`
	Turns       int    `json:"turns"`
}
