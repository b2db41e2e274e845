package history

import (
	"context"
	"strings"
	"time"

	"recall/index/habits"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

// Habit is one thing that a person says again and again.
type Habit struct {
	Text     string   `json:"text"`     // as a line for CLAUDE.md
	Sessions int      `json:"sessions"` // in which it was typed
	Times    int      `json:"times"`
	There    string   `json:"there,omitempty"` // the CLAUDE.md that says it already
	Evidence []Saying `json:"evidence"`        // the latest first
}

// Saying is where it was said.
type Saying struct {
	Project string    `json:"project"`
	Session string    `json:"session"`
	Number  int       `json:"number"`
	Turn    int       `json:"turn"`
	At      time.Time `json:"at,omitzero"`
	Quote   string    `json:"quote"`
}

// Habits finds what was typed in several sessions of a project, of all if it is "". What one of the rules says
// already is marked.
func Habits(ctx context.Context, p *pipeline.Pipeline, project string, least int, rules Rules) ([]Habit, error) {
	typed, err := p.Index.Typed(ctx, project)
	if err != nil {
		return nil, err
	}
	var turns []habits.Turn
	for _, h := range typed {
		turns = append(turns, habits.Turn{Session: h.Place.Session, At: h.At, Text: h.Text})
	}
	found := []Habit{}
	for _, h := range habits.Find(turns, least) {
		one := Habit{Text: h.Text, Sessions: h.Sessions, Times: len(h.Sayings), There: rules.Say(h.Text)}
		for _, s := range h.Sayings {
			at := typed[s.Place]
			one.Evidence = append(one.Evidence, Saying{Project: at.Project, Session: at.Place.Session,
				Number: at.SessionN, Turn: at.N, At: at.At, Quote: s.Text})
		}
		found = append(found, one)
	}
	return found, nil
}

// Rules are the lines of CLAUDE.md files, by file.
type Rules map[string][]string

// mostOfRules is how much of such a file is read, in bytes.
const mostOfRules = 16 << 20

// RulesIn reads them; a file that isn't there has none.
func RulesIn(files ...string) Rules {
	rules := Rules{}
	for _, f := range files {
		text, err := library.ReadRegular(f, mostOfRules)
		if err != nil {
			continue // there mostly is none
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimLeft(strings.TrimSpace(line), "-*• "); len(line) > 8 {
				rules[f] = append(rules[f], line)
			}
		}
	}
	return rules
}

// alreadySaid is how alike a line must be to say the same.
const alreadySaid = 0.6

// Say is the file that says something, "" if none does.
func (r Rules) Say(text string) string {
	for file, lines := range r {
		for _, line := range lines {
			if payload.Alike(line, text) >= alreadySaid {
				return file
			}
		}
	}
	return ""
}
