package eval

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	strict "github.com/go-json-experiment/json"

	"recall/ingest"
	"recall/payload"
	"recall/text"
)

// An invented project tells its sessions itself, so that it needs no transcripts:
// sessions.json holds what was said and what is worth keeping of it, questions.json
// what people ask, aliases.json what else they may call it. Those in testdata/asked
// are what the search's weights are fitted to and held against beside what people
// said of real sessions.

// toldSession is a session of a sessions.json.
type toldSession struct {
	ID     string     `json:"id"`
	Title  string     `json:"title"`
	Start  time.Time  `json:"start"`
	Branch string     `json:"branch"`
	Turns  []toldTurn `json:"turns"`
	Items  []GoldItem `json:"items"`
}

type toldTurn struct {
	ID    string     `json:"id"`
	By    string     `json:"by"`    // user or assistant
	After float64    `json:"after"` // minutes since the session's start
	Text  string     `json:"text"`
	Calls []toldCall `json:"calls"`
}

type toldCall struct {
	Tool    string `json:"tool"`
	Path    string `json:"path"`
	Command string `json:"command"`
}

// told reads a project's sessions.json.
func (l *loader) told(file, project string, b []byte) {
	var sessions []toldSession
	if !l.once(file, b) || !l.read(file, "", b, &sessions) {
		return
	}
	var before time.Time
	for i, t := range sessions {
		at := t.ID
		if at == "" {
			at = fmt.Sprintf("session %d", i+1)
			l.problem(file, at, "no id")
		}
		if t.Start.IsZero() || t.Start.Before(before) {
			l.problem(file, at, "it has no start, or begins before the one above it")
		}
		before = t.Start
		g := &Gold{Schema: GoldSchema, Session: t.ID, Summary: t.Title, Items: t.Items, File: file, Project: project}
		l.toldTurns(file, at, t)
		l.toldItems(file, at, &t)
		l.set.Golds = append(l.set.Golds, g)
		l.set.Sessions = append(l.set.Sessions, t.session(project))
	}
}

func (l *loader) toldTurns(file, at string, t toldSession) {
	seen := map[string]bool{}
	before := 0.0
	for i, u := range t.Turns {
		name := fmt.Sprintf("%s, turn %d", at, i+1)
		if u.ID == "" || seen[u.ID] {
			l.problem(file, name, fmt.Sprintf("id %q is none, or another turn's", u.ID))
		}
		seen[u.ID] = true
		if u.By != string(ingest.User) && u.By != string(ingest.Assistant) {
			l.problem(file, name, fmt.Sprintf("said by %q, and only user and assistant speak", u.By))
		}
		if u.After < before {
			l.problem(file, name, "it comes before the one above it")
		}
		before = u.After
		if strings.TrimSpace(u.Text) == "" && len(u.Calls) == 0 {
			l.problem(file, name, "it says and does nothing")
		}
	}
}

// toldItems holds items against the turns that they name.
func (l *loader) toldItems(file, at string, t *toldSession) {
	said := map[string]string{}
	for _, u := range t.Turns {
		said[u.ID] = text.OneLine(u.Text)
	}
	for i := range t.Items {
		it := &t.Items[i]
		if it.By == "assistant" {
			it.By = payload.ByAssistant
		}
		if !slices.Contains([]payload.By{"", payload.ByUser, payload.ByAssistant, payload.ByBoth}, it.By) {
			l.problem(file, at+", "+it.ID, fmt.Sprintf("by %q is neither user, assistant nor both", it.By))
		}
	}
	for _, p := range notBorneOut(t.Items, said) {
		l.problem(file, at+", "+p.Item, p.What)
	}
}

// session is a told session as a parser would give it.
func (t *toldSession) session(project string) *ingest.Session {
	home := path.Join("/home/dev", project)
	s := &ingest.Session{ID: ingest.SessionID(t.ID), Source: ingest.ClaudeCode, Title: t.Title, TitleFrom: "summary",
		Start: t.Start, End: t.Start,
		Where: ingest.Where{Cwds: []ingest.CwdCount{{Dir: home, Turns: len(t.Turns)}}, Branch: t.Branch}}
	if t.Branch != "" {
		s.Where.Branches = []string{t.Branch}
	}
	for i, u := range t.Turns {
		at := t.Start.Add(time.Duration(u.After * float64(time.Minute)))
		turn := ingest.Turn{ID: ingest.TurnID(u.ID), N: i + 1, Records: []string{u.ID}, Role: ingest.Role(u.By),
			Kind: ingest.Prompt, At: at, Text: u.Text, Dir: home, Line: i + 1}
		if turn.Role == ingest.Assistant {
			turn.Kind = ingest.Message
		}
		for k, c := range u.Calls {
			call := ingest.ToolCall{ID: fmt.Sprintf("%s-%d", u.ID, k+1), Name: c.Tool, Path: c.Path, Command: c.Command,
				Done: true, At: at, Input: map[string]string{}}
			if c.Path != "" {
				call.Input["file_path"] = c.Path
			}
			if c.Command != "" {
				call.Input["command"] = c.Command
			}
			turn.Calls = append(turn.Calls, call)
		}
		s.Turns, s.End = append(s.Turns, turn), at
	}
	return s
}

// askedOfTold reads a project's questions.json; none is asked twice, none expects
// what it calls stale.
func (l *loader) askedOfTold(file, project string, b []byte) {
	var list []Question
	if !l.once(file, b) || !l.decode(file, "", b, &list) {
		return
	}
	seen := map[string]int{}
	for i, q := range list {
		at := fmt.Sprintf("question %d", i+1)
		key := q.AsOf + " " + strings.ToLower(text.OneLine(q.Q))
		if n, twice := seen[key]; twice {
			l.problem(file, at, fmt.Sprintf("it is question %d again", n))
		}
		seen[key] = i + 1
		for _, name := range q.Stale {
			if slices.Contains(q.Expect, name) {
				l.problem(file, at, fmt.Sprintf("expects %s and calls it stale", name))
			}
		}
	}
	l.questions(file, project, b)
}

// once reports whether no name stands twice in one object: what is written by hand
// says either by mistake.
func (l *loader) once(file string, b []byte) bool {
	var whole any
	err := strict.Unmarshal(b, &whole)
	if err != nil && json.Valid(b) {
		l.problem(file, "", err.Error())
		return false
	}
	return true
}

// began is when each told session began.
func (s *Set) began() map[string]time.Time {
	m := map[string]time.Time{}
	for _, t := range s.Sessions {
		m[string(t.ID)] = t.Start
	}
	return m
}

// checkTold finds what told sessions alone can have wrong: a question asked
// before what it expects was said.
func (l *loader) checkTold(began map[string]time.Time) {
	n := map[string]int{}
	for _, q := range l.set.Questions {
		n[q.File]++
		until, err := q.asOf()
		if err != nil || until.IsZero() {
			continue
		}
		for _, name := range slices.Concat(q.Expect, q.Stale) {
			if t, ok := began[sessionOf(name)]; ok && !t.Before(until) {
				l.problem(q.File, fmt.Sprintf("question %d", n[q.File]), fmt.Sprintf("is asked on %s, before %s", q.AsOf, name))
			}
		}
	}
}
