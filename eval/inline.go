package eval

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"time"

	"recall/ingest"
	"recall/internal/text"
	"recall/payload"
)

// An invented project carries its own sessions and needs no transcripts: sessions.json holds what was said and
// what is worth keeping of it, questions.json what people ask, aliases.json other words for the items. The
// projects in testdata/asked are used to check the search, beside what people wrote about
// real sessions.

type inlineSession struct {
	ID     string       `json:"id"`
	Title  string       `json:"title"`
	Start  time.Time    `json:"start"`
	Branch string       `json:"branch"`
	Turns  []inlineTurn `json:"turns"`
	Items  []GoldItem   `json:"items"`
}

type inlineTurn struct {
	ID    string            `json:"id"`
	By    string            `json:"by"`    // user or assistant
	After float64           `json:"after"` // minutes since the session's start
	Text  string            `json:"text"`
	Calls []ingest.ToolCall `json:"calls"` // their tools, paths and commands
}

// inlineSessions reads a project's sessions.json.
func (l *loader) inlineSessions(file, project string, b []byte) {
	var sessions []inlineSession
	if !l.read(file, "", b, &sessions) {
		return
	}
	var before time.Time
	for i := range sessions {
		t := &sessions[i]
		at := cmp.Or(t.ID, fmt.Sprintf("session %d", i+1))
		if t.ID == "" {
			l.problem(file, at, "no id")
		}
		if t.Start.IsZero() || t.Start.Before(before) {
			l.problem(file, at, "it has no start, or begins before the one above it")
		}
		before = t.Start
		for _, p := range t.check() {
			l.problem(file, at+", "+p.Item, p.What)
		}
		l.set.Golds = append(l.set.Golds, &Gold{Schema: GoldSchema, Session: t.ID, Summary: t.Title, Items: t.Items,
			File: file, Project: project})
		l.set.Sessions = append(l.set.Sessions, t.session(project))
	}
}

// check lists what is wrong with the turns, and with the items against them.
func (t *inlineSession) check() (out []Problem) {
	said := map[string]string{}
	before := 0.0
	for i, u := range t.Turns {
		say := func(what string, args ...any) {
			out = append(out, Problem{Item: fmt.Sprintf("turn %d", i+1), What: fmt.Sprintf(what, args...)})
		}
		if _, twice := said[u.ID]; u.ID == "" || twice {
			say("id %q is missing or another turn's", u.ID)
		}
		said[u.ID] = text.OneLine(u.Text)
		if u.By != string(ingest.User) && u.By != string(ingest.Assistant) {
			say("said by %q, who is neither user nor assistant", u.By)
		}
		if u.After < before {
			say("it comes before the one above it")
		}
		before = u.After
		if said[u.ID] == "" && len(u.Calls) == 0 {
			say("it has neither text nor calls")
		}
	}
	for i := range t.Items {
		it := &t.Items[i]
		if it.By == "assistant" {
			it.By = payload.ByAssistant
		}
		if !slices.Contains([]payload.By{"", payload.ByUser, payload.ByAssistant, payload.ByBoth}, it.By) {
			out = append(out, Problem{Item: it.ID, What: fmt.Sprintf("by %q is neither user, assistant nor both", it.By)})
		}
	}
	return append(out, unsupported(t.Items, said)...)
}

// session returns the told session as a parser would.
func (t *inlineSession) session(project string) *ingest.Session {
	home := path.Join("/home/dev", project)
	s := &ingest.Session{ID: ingest.SessionID(t.ID), Source: ingest.ClaudeCode, Title: t.Title,
		Start: t.Start, End: t.Start,
		Where: ingest.Where{Cwds: []ingest.CwdCount{{Dir: home, Turns: len(t.Turns)}}, Branch: t.Branch}}
	for i, u := range t.Turns {
		at := t.Start.Add(time.Duration(u.After * float64(time.Minute)))
		turn := ingest.Turn{ID: ingest.TurnID(u.ID), N: i + 1, Records: []string{u.ID}, Role: ingest.Role(u.By),
			Kind: ingest.Prompt, At: at, Text: u.Text, Dir: home, Line: i + 1}
		if turn.Role == ingest.Assistant {
			turn.Kind = ingest.Message
		}
		for k, c := range u.Calls {
			c.ID, c.Done, c.At, c.Input = fmt.Sprintf("%s-%d", u.ID, k+1), true, at, map[string]string{}
			if c.Path != "" {
				c.Input["file_path"] = c.Path
			}
			if c.Command != "" {
				c.Input["command"] = c.Command
			}
			turn.Calls = append(turn.Calls, c)
		}
		s.Turns, s.End = append(s.Turns, turn), at
	}
	return s
}

// starts maps each told session to its start.
func (s *Set) starts() map[string]time.Time {
	m := map[string]time.Time{}
	for _, t := range s.Sessions {
		m[string(t.ID)] = t.Start
	}
	return m
}
