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
	if at.IsZero() {
		return
	}
	if s.Start.IsZero() || at.Before(s.Start) {
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

// NameByPrompt titles an untitled session by its first prompt in words, preferring those not taken back. It also
// recognizes sessions that recall held with a model, or another program did.
func (s *Session) NameByPrompt() {
	if i := slices.IndexFunc(s.Turns, func(t Turn) bool { return t.Role != Assistant }); i >= 0 {
		s.Helper = s.Helper || strings.HasPrefix(s.Turns[i].Text, ModelCall)
	}
	by := func(who Role) bool {
		return slices.ContainsFunc(s.Turns, func(t Turn) bool { return t.Role == who && t.Kind != Event })
	}
	s.Headless = by(Program) && !by(User)
	for _, abandoned := range []bool{false, true} {
		for i := range s.Turns {
			t := &s.Turns[i]
			if s.Title != "" || t.Abandoned != abandoned || t.Kind != Prompt && t.Kind != PlanTurn {
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
