package history

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"recall/index/habits"
	"recall/ingest"
	"recall/ingest/trace"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
	"recall/text"
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

// readMost is how many of a project's sessions are read, the latest, for the calls that were refused.
const readMost = 200

// Habits finds what a person typed in several sessions of a project, of all if it is "", and which kind of call
// they refused again and again. What one of the rules says already is marked.
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
		one := Habit{Text: h.Text, Sessions: h.Sessions, Times: len(h.Sayings)}
		for _, s := range h.Sayings {
			at := typed[s.Place]
			one.Evidence = append(one.Evidence, Saying{Project: at.Project, Session: at.Place.Session,
				Number: at.SessionN, Turn: at.N, At: at.At, Quote: s.Text})
		}
		found = append(found, one)
	}
	noes, err := refused(ctx, p, project, least)
	found = append(found, noes...)
	for i := range found {
		found[i].There = rules.Say(found[i].Text)
	}
	return found, err
}

// A kind of call is refused again and again if a quarter of them was, or ten times as many as of all calls.
const refusedShare, refusedTimes = 0.25, 10

// refused finds the kinds of calls that a person refused in so many sessions.
func refused(ctx context.Context, p *pipeline.Pipeline, project string, least int) ([]Habit, error) {
	shelf, err := p.Library.Shelf()
	if err != nil {
		return nil, err
	}
	made, noes := map[string]int{}, map[string][]Saying{}
	read, all, no := 0, 0.0, 0.0
	for _, e := range slices.Backward(shelf.Entries) {
		if project != "" && shelf.Of(e).Name != project || read == readMost {
			continue
		}
		read++
		s, err := p.Read(ctx, e.ID)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			continue // sync and verify tell of it
		}
		for _, a := range trace.Actions(s) {
			kind := kindOf(&a)
			if kind == "" || a.Copied || a.Agent != "" {
				continue
			}
			made[kind]++
			all++
			if a.Call.Verdict != ingest.Rejected {
				continue
			}
			no++
			noes[kind] = append(noes[kind], Saying{Project: shelf.Of(e).Name, Session: string(e.ID),
				Number: shelf.Number[string(e.ID)], Turn: a.N, At: a.At,
				Quote: text.Clip(line(cmp.Or(a.Call.Command, a.Call.Path, a.Call.Name)), 120)})
		}
	}
	var found []Habit
	for kind, at := range noes {
		in := map[string]bool{}
		for _, s := range at {
			in[s.Session] = true
		}
		share := float64(len(at)) / float64(made[kind])
		if len(in) >= least && share >= min(refusedShare, refusedTimes*no/all) {
			found = append(found,
				Habit{Text: "Ask before " + kind + ".", Sessions: len(in), Times: len(at), Evidence: at})
		}
	}
	slices.SortFunc(found, func(a, b Habit) int {
		return cmp.Or(b.Sessions-a.Sessions, strings.Compare(a.Text, b.Text))
	})
	return found, nil
}

// kindOf says what a call does, as a rule would name it: a command by its program and what that is to do, the
// last of a line that isn't fed by another, an edit by its file; "" of what only asks or looks.
func kindOf(a *trace.Action) string {
	switch c := a.Call; {
	case c.Command != "":
		var last trace.Step
		for _, s := range a.Steps() {
			if !s.Piped {
				last = s
			}
		}
		name := last.Program
		if name == "" {
			return ""
		}
		if len(last.Args) > 0 && verb().MatchString(last.Args[0]) {
			name += " " + last.Args[0]
		}
		return "running `" + name + "`"
	case len(c.Edits) > 0 || c.Name == "Write":
		return "changing `" + within(c.Path, a.Dir) + "`"
	case strings.HasPrefix(c.Name, "mcp__"):
		return "calling `" + c.Name + "`"
	}
	return ""
}

// verb matches what a program is told to do: `commit`, not a flag or a file.
var verb = text.Pattern(`^[a-z][a-z-]*$`)

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
