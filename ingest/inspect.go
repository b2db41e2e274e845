package ingest

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"recall/sink"
	"recall/text"
)

// How much of a text an Inspection shows, in letters.
const inspectedText = 100

// Inspect sums a session up.
func Inspect(s *Session) Inspection {
	in := Inspection{
		ID: s.ID, Source: s.Source, Aliases: s.Aliases, Title: oneLine(s.Title), TitleFrom: s.TitleFrom,
		Start: s.Start, End: s.End, Continued: s.ContinuedIn,
		Branches: s.Where.Branches, Folders: s.Where.Folders, Space: s.Where.Space,
		Models: s.Models, Versions: s.Versions, Usage: s.Usage, UsageAll: s.UsageAll, Cost: s.Cost,
		Parent: s.Parent, Dirs: s.Where.Cwds, Turns: []InspectedTurn{}, PlanFiles: s.PlanFiles,
		Uploads: inspectFiles(s.Uploads), Outputs: inspectFiles(s.Outputs), Report: s.Report,
	}
	in.flags(s)
	if w := s.Where.Worktree; w != nil {
		in.Worktree, in.Original = w.Path, w.Original
	}
	in.turns(s)
	in.extras(s)
	return in
}

func (in *Inspection) flags(s *Session) {
	for _, f := range []struct {
		is   bool
		name string
	}{{s.Archived, "archived"}, {s.Helper, "helper"}, {s.Remote, "remote"}, {s.TranscriptMissing, "transcript missing"}} {
		if f.is {
			in.Flags = append(in.Flags, f.name)
		}
	}
}

// turns counts and lists the turns; a run of abandoned ones is a branch.
func (in *Inspection) turns(s *Session) {
	branch := false
	for i := range s.Turns {
		t := &s.Turns[i]
		in.Counts.add(t)
		if t.Abandoned && !branch && !t.Copied {
			in.Counts.Branches++
		}
		branch = t.Abandoned
		in.Turns = append(in.Turns, inspectTurn(t))
	}
}

func (in *Inspection) extras(s *Session) {
	for _, c := range s.Compactions {
		c.Wish = clipLine(c.Wish)
		in.Compactions = append(in.Compactions, c)
	}
	for _, t := range s.Tasks {
		t.Subject = clipLine(t.Subject)
		in.Tasks = append(in.Tasks, t)
	}
	for _, a := range s.Subagents {
		in.Subagents = append(in.Subagents, InspectedSubagent{a.ID, a.Type, clipLine(a.Description), a.Call, len(a.Turns)})
	}
	for _, p := range s.PRs {
		in.PRs = append(in.PRs, fmt.Sprintf("#%d %s", p.Number, oneLine(p.URL)))
	}
}

func inspectFiles(files []FileRef) []FileRef {
	files = slices.Clone(files)
	for i := range files {
		files[i].Name = oneLine(files[i].Name)
	}
	return files
}

// add counts one turn.
func (c *Counts) add(t *Turn) {
	if t.Copied {
		c.Copied++
		return
	}
	one := func(n, abandoned *int) {
		if t.Abandoned {
			n = abandoned
		}
		*n++
	}
	switch t.Kind {
	case Prompt, PlanTurn:
		one(&c.Prompts, &c.PromptsAbandoned)
	case Message:
		one(&c.Messages, &c.MessagesAbandoned)
	case Command, Shell:
		c.Commands++
	case Interrupt:
		c.Interrupts++
	}
	if !t.Abandoned {
		for i := range t.Calls {
			c.addCall(&t.Calls[i])
		}
	}
}

func (c *Counts) addCall(call *ToolCall) {
	count := func(n *int, is bool) {
		if is {
			*n++
		}
	}
	c.Calls++
	count(&c.Unanswered, !call.Done)
	count(&c.Failed, call.Failed && call.Verdict != Rejected && call.Verdict != Denied)
	count(&c.Rejected, call.Verdict == Rejected)
	count(&c.Denied, call.Verdict == Denied)
	count(&c.Approved, call.Verdict == Approved)
	count(&c.Plans, call.Plan != nil)
	count(&c.Commits, call.Commit != "")
	c.Answers += len(call.Answers)
}

func inspectTurn(t *Turn) InspectedTurn {
	x := InspectedTurn{N: t.N, ID: t.ID, Kind: t.Kind, Name: t.Name, At: t.At, Text: clipLine(t.Text), File: t.File,
		Line: t.Line}
	flag := func(is bool, name string) {
		if is && !slices.Contains(x.Flags, name) {
			x.Flags = append(x.Flags, name)
		}
	}
	flag(t.Abandoned, "abandoned")
	flag(t.Copied, "copied")
	flag(t.Queued, "queued")
	flag(t.From == "audit", "audit")
	for _, f := range t.Foreign {
		flag(true, "quotes "+f.Label)
	}
	for i := range t.Calls {
		x.Calls = append(x.Calls, inspectCall(&t.Calls[i]))
	}
	return x
}

func inspectCall(c *ToolCall) InspectedCall {
	x := InspectedCall{Tool: c.Name, What: clipLine(cmp.Or(c.Command, c.Path, c.Telling())), State: "ok",
		Verdict: c.Verdict, Reason: clipLine(c.Reason), Commit: c.Commit}
	for _, a := range c.Answers {
		a.Question, a.Notes = oneLine(a.Question), clipLine(a.Notes)
		x.Answers = append(x.Answers, a)
	}
	switch {
	case !c.Done:
		x.State = "no result"
	case c.Failed:
		x.State = "failed"
	}
	if c.Plan != nil {
		x.Plan = clipLine(c.Plan.Text)
	}
	return x
}

// clipLine is a text in one line of at most inspectedText letters.
func clipLine(s string) string {
	return text.Clip(oneLine(text.Head(s, 8*inspectedText)), inspectedText)
}

func oneLine(s string) string { return sink.Line(s, sink.Terminal) }

// counted is a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%s %ss", text.Thousands(int64(n)), noun)
}

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
