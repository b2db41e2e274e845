package ingest

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"recall/ingest/jsonl"
)

// Silent reports whether a message contains nothing: no text, no call, no usage.
func (t *Turn) Silent() bool {
	return t.Kind == Message && t.Text == "" && len(t.Calls) == 0 && t.Usage == (Usage{})
}

// Finish adds a parser's turns to the session, except silent ones, and titles it: by the title from its records, else
// by its first prompt.
func (s *Session) Finish(turns []*Turn, title string) {
	for _, t := range turns {
		if !t.Silent() {
			s.Count(*t)
		}
	}
	BindReasons(s.Turns)
	s.Title = FitTitle(title)
	s.NameByPrompt()
}

// AddSubagents reads each of a session's sub-agents and links it to the call that started it. One that can't be read is
// reported and affects nothing else.
func (s *Session) AddSubagents(ctx context.Context, f Found, read func(File) (Subagent, Report, error)) error {
	for _, file := range f.FilesOf(SubagentFile) {
		sub, report, err := read(file)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			report.Unread(file, err)
		}
		s.Report.AddReport(report)
		for i := range sub.Turns { // its prompts are the parent's words
			if t := &sub.Turns[i]; t.Role == User {
				t.Role = Program
			}
		}
		for _, c := range EachCall(s.Turns) {
			if c.Agent != "" && c.Agent == sub.ID {
				sub.Call, sub.Type = cmp.Or(sub.Call, c.ID), cmp.Or(sub.Type, c.Input["subagent_type"])
			}
		}
		s.Subagents = append(s.Subagents, sub)
	}
	s.NameRemnant()
	return nil
}

// Count numbers a turn, adds it to the session and updates the session's totals.
func (s *Session) Count(t Turn) {
	MarkForeign(&t)
	if t.Role == User && t.Kind == Prompt {
		t.Foreign = mergeForeign(append(t.Foreign, outside(s.repeated(t.Text), t.Foreign)...))
	}
	t.N = len(s.Turns) + 1
	s.Turns = append(s.Turns, t)
	if t.Dir != "" && (t.Kind == Prompt || t.Kind == Message || t.Kind == PlanTurn) {
		s.CountDir(t.Dir, 1)
	}
	s.Models = Union(s.Models, t.Model)
	s.Usage.AddUsage(t.Usage)
	s.Carried = Union(s.Carried, t.Carried...)
	if t.Role != Assistant {
		s.Pasted = Union(s.Pasted, PayloadIDs(t.Text, false)...)
	}
	s.span(t.At)
	for i := range t.Calls {
		if at := t.Calls[i].At; at.After(s.End) && !t.At.IsZero() {
			s.End = at
		}
	}
}

// span widens a session's times to hold one.
func (s *Session) span(at time.Time) {
	if !at.IsZero() && (s.Start.IsZero() || at.Before(s.Start)) {
		s.Start = at
	}
	if at.After(s.End) {
		s.End = at
	}
}

// CountDir counts turns in a working directory.
func (s *Session) CountDir(dir string, turns int) {
	if i := slices.IndexFunc(s.Where.Cwds, func(c CwdCount) bool { return c.Dir == dir }); i >= 0 {
		s.Where.Cwds[i].Turns += turns
	} else {
		s.Where.Cwds = append(s.Where.Cwds, CwdCount{Dir: dir, Turns: turns})
	}
}

// NameByPrompt titles an untitled session by its first prompt in words, preferring a person's and those not taken back.
// It also recognizes sessions that recall held with a model, or another program did.
func (s *Session) NameByPrompt() {
	if i := slices.IndexFunc(s.Turns, func(t Turn) bool { return t.Role != Assistant }); i >= 0 {
		s.Helper = s.Helper || strings.HasPrefix(s.Turns[i].Text, ModelCall)
	}
	by := func(who Role) bool {
		return slices.ContainsFunc(s.Turns, func(t Turn) bool { return t.Role == who && t.Kind != Event })
	}
	s.Headless = by(Program) && !by(User)
	for _, fits := range []func(t *Turn) bool{
		func(t *Turn) bool { return !t.Abandoned && t.Role == User }, func(t *Turn) bool { return t.Role == User },
		func(t *Turn) bool { return true },
	} {
		for i := range s.Turns {
			t := &s.Turns[i]
			if s.Title != "" || !fits(t) || t.Kind != Prompt && t.Kind != PlanTurn {
				continue
			}
			if title := TitleOf(t.OwnText()); title != ImageOnly && title != "" {
				s.Title = title
			}
		}
	}
	for i := range s.Turns {
		if t := &s.Turns[i]; s.Title == "" && t.Kind == Message {
			s.Title = TitleOf(t.Text)
		}
	}
}

// OnlySubagents begins the title of a session of which only the sub-agents' conversations are left.
const OnlySubagents = "sub-agents only: "

// NameRemnant gives a session that has nothing but sub-agents their title, times and folders.
func (s *Session) NameRemnant() {
	if len(s.Turns) > 0 || len(s.Subagents) == 0 || s.Title != "" {
		return
	}
	var agents Session
	for _, a := range s.Subagents {
		for _, t := range a.Turns {
			agents.Count(t)
		}
	}
	agents.NameByPrompt()
	s.Title, s.Start, s.End = OnlySubagents+agents.Title, agents.Start, agents.End
	s.Where.Cwds = agents.Where.Cwds
}

// FitTitle returns a client's title, "" if it is the error with which making one failed.
func FitTitle(title string) string {
	if title = strings.TrimSpace(title); strings.HasPrefix(title, "API Error") {
		return ""
	}
	return title
}

// TitleOf makes a title from a prompt: its first line, at most 80 runes.
func TitleOf(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.TrimLeft(line, "#> ")
	if utf8.RuneCountInString(line) <= 80 {
		return line
	}
	line = string([]rune(line)[:79])
	if k := strings.LastIndexByte(line, ' '); k > 40 {
		line = line[:k]
	}
	return line + "…"
}

// Todos reads the todo list called name in a tool's input, whose entries have their text under subject; cancelled ones
// are omitted.
func Todos(input []byte, name, subject string, turn TurnID) (list []Task) {
	jsonl.ReadFields(input, jsonl.Fields{name: jsonl.List(func(c *jsonl.Cursor) {
		t := Task{Turn: turn}
		if c.Fields(jsonl.Fields{subject: &t.Subject, "status": &t.Status}); t.Status != "cancelled" {
			list = append(list, t)
		}
	})})
	return list
}

// Relist returns a rewritten list of tasks: unchanged ones keep their last touch, those without a subject are omitted.
func Relist(had, list []Task) (out []Task) {
	type state struct{ subject, status string }
	was := map[state]Task{}
	for _, t := range had {
		was[state{t.Subject, t.Status}] = t
	}
	for _, t := range list {
		if t.Subject = strings.TrimSpace(t.Subject); t.Subject == "" {
			continue
		}
		if same, ok := was[state{t.Subject, t.Status}]; ok {
			t = same
		}
		out = append(out, t)
	}
	return out
}

// A Request is one message from a model with its usage as the client recorded it.
type Request struct {
	Message string `map:"-"` // its id, "" if it has none
	At      time.Time
	Model   string `map:"name"` // "" if unknown
	Usage   Usage
}

// Requests lists what a session used of models, each message once wherever it appears; what another session owns is
// left out (see Own). Tokens recorded apart from messages, as in an audit log, are one more request.
func (s *Session) Requests() (all []Request) {
	rest, counted := s.Usage, map[string]bool{}
	count := func(r Request, copied bool) {
		twice := counted[r.Message]
		counted[r.Message] = r.Message != ""
		if r.Usage != (Usage{}) && !copied && !twice {
			all = append(all, r)
			rest.subtract(r.Usage)
		}
	}
	for _, turns := range s.conversations() {
		for i := range turns {
			count(turns[i].Request(), turns[i].Copied)
		}
	}
	for _, r := range s.Unheard {
		count(r, false)
	}
	if rest != (Usage{}) {
		all = append(all, Request{At: s.End, Model: strings.Join(s.Models[:min(1, len(s.Models))], ""), Usage: rest})
	}
	return all
}

// Request returns what a turn used of a model.
func (t *Turn) Request() Request {
	r := Request{At: t.At, Model: t.Model, Usage: t.Usage}
	for _, k := range t.Keys {
		if id, ok := strings.CutPrefix(k, MessageKey); ok {
			r.Message = id
		}
	}
	return r
}

// MessageKey is the prefix of a turn's key (see Turn.Keys) that holds its message's id.
const MessageKey = "m:"

// conversations returns the session's own turns, and those of its sub-agents.
func (s *Session) conversations() [][]Turn {
	all := [][]Turn{s.Turns}
	for i := range s.Subagents {
		all = append(all, s.Subagents[i].Turns)
	}
	return all
}

// subtract subtracts less from u, down to zero.
func (u *Usage) subtract(less Usage) {
	u.Input = max(0, u.Input-less.Input)
	u.Output = max(0, u.Output-less.Output)
	u.CacheWrite = max(0, u.CacheWrite-less.CacheWrite)
	u.CacheHour = max(0, u.CacheHour-less.CacheHour)
	u.CacheRead = max(0, u.CacheRead-less.CacheRead)
}
