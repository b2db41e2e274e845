package history

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"recall/index"
	"recall/index/habits"
	"recall/ingest"
	"recall/ingest/trace"
	"recall/internal/text"
	"recall/library"
	"recall/library/disk"
	"recall/payload"
	"recall/pipeline"
)

// Habit is something that a person says again and again.
type Habit struct {
	Text     string    `json:"text"`     // as a line for CLAUDE.md
	Sessions int       `json:"sessions"` // in which it was said
	Times    int       `json:"times"`
	First    time.Time `json:"first,omitzero"` // when it was first said
	Last     time.Time `json:"last,omitzero"`
	PerWeek  float64   `json:"per_week"`        // from first to last; a shorter span counts as a week
	There    string    `json:"there,omitempty"` // the CLAUDE.md that already says it
	Evidence []Saying  `json:"evidence"`        // latest first
}

// Saying is one place where it was said.
type Saying struct {
	Project string    `json:"project"`
	Session string    `json:"session"`
	Number  int       `json:"number"`
	Turn    int       `json:"turn"`
	At      time.Time `json:"at,omitzero"`
	Quote   string    `json:"quote"`
}

func saidAt(p index.Place, turn int, at time.Time, quote string) Saying {
	return Saying{Project: p.Project, Session: p.Session, Number: p.SessionN, Turn: turn, At: at, Quote: quote}
}

// Habits finds what a person typed in several sessions of a project, "" for all, also as the reason of a refusal, as
// they since edited it. What a rule already says is marked.
func Habits(ctx context.Context, p *pipeline.Pipeline, project string, rules Rules) ([]Habit, error) {
	typed, err := p.Index.Typed(ctx, project)
	if err != nil {
		return nil, err
	}
	var turns []habits.Turn
	for _, h := range typed {
		turns = append(turns, habits.Turn{Session: h.Session, At: h.At, Text: h.Text})
	}
	addCommands(ctx, p, typed, turns)
	edits, err := p.Library.HabitEdits()
	if err != nil {
		return nil, err
	}
	found := []Habit{}
	for _, h := range habits.Find(turns, fewest) {
		var said []Saying
		for _, s := range h.Sayings {
			at := typed[s.Place]
			said = append(said, saidAt(at.Place, at.Turn, at.At, s.Text))
		}
		habit := habitOf(h.Text, said)
		for _, e := range edits {
			if slices.ContainsFunc(said, func(s Saying) bool { return s.edited(e.Text) == e }) {
				habit.Text = e.Text
			}
		}
		if habit.Text == "" {
			continue
		}
		habit.There = rules.Say(habit.Text)
		found = append(found, habit)
	}
	return found, nil
}

// fewest is in how many sessions something must be said: once is not a habit.
const fewest = 2

// maxRead is how many sessions, the newest, are read for what was run in them: that takes some 15 ms each.
const maxRead = 200

// addCommands tells what was run in answer to the plain orders of the newest sessions; in one that can't be read now,
// nothing.
func addCommands(ctx context.Context, p *pipeline.Pipeline, typed []index.Result, turns []habits.Turn) {
	read := 0
	for from, to := 0, len(typed); to > 0 && read < maxRead; to = from {
		from = to - 1
		for from > 0 && typed[from-1].Session == typed[from].Session {
			from--
		}
		if !slices.ContainsFunc(turns[from:to], habits.Turn.IsShort) {
			continue
		}
		read++
		s, err := p.Read(ctx, ingest.SessionID(typed[from].Session))
		if err != nil {
			continue
		}
		for _, a := range trace.Actions(s) {
			at := from - 1 // the turn that it answers
			for at+1 < to && typed[at+1].Turn <= a.N {
				at++
			}
			if at < from {
				continue
			}
			for _, c := range a.Steps {
				turns[at].Ran = append(append(turns[at].Ran, c.Program), c.Args...)
			}
		}
	}
}

// Edited returns the edit that gives a habit a text, "" to drop it.
func (h Habit) Edited(text string) library.HabitEdit { return h.Evidence[0].edited(text) }

func (s Saying) edited(to string) library.HabitEdit {
	return library.HabitEdit{Session: s.Session, Said: text.Hash(s.Quote, 8), Text: to}
}

// habitOf makes a habit from the places, at least one, where it was said.
func habitOf(text string, said []Saying) Habit {
	slices.SortStableFunc(said, func(a, b Saying) int { return b.At.Compare(a.At) })
	h := Habit{Text: text, Times: len(said), First: said[len(said)-1].At, Last: said[0].At, Evidence: said}
	in := map[string]bool{}
	for _, s := range said {
		in[s.Session] = true
	}
	h.Sessions = len(in)
	h.PerWeek = math.Round(10*float64(h.Times)/max(1, h.Last.Sub(h.First).Hours()/(7*24))) / 10
	return h
}

// Rules holds the lines of CLAUDE.md files, by file.
type Rules map[string][]string

// mostOfRules is how many bytes of such a file are read.
const mostOfRules = 16 << 20

// RulesIn reads the rules of files; a missing file has none.
func RulesIn(files ...string) Rules {
	rules := Rules{}
	for _, f := range files {
		text, err := disk.ReadRegular(f, mostOfRules)
		if err != nil {
			continue // usually there is none
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimLeft(strings.TrimSpace(line), "-*• "); len(line) > 8 {
				rules[f] = append(rules[f], line)
			}
		}
	}
	return rules
}

// alreadySaid is how alike a line must be to count as saying the same.
const alreadySaid = 0.6

// Say returns the file that says something, "" if none does.
func (r Rules) Say(text string) string {
	for file, lines := range r {
		if slices.ContainsFunc(lines, func(line string) bool { return payload.Alike(line, text) >= alreadySaid }) {
			return file
		}
	}
	return ""
}

// AddLines appends a paragraph to a person's file of at most most bytes, without rewriting anything in it.
func AddLines(path string, lines []string, most int64) error {
	old, err := disk.ReadRegular(path, most)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text := strings.Join(lines, "\n") + "\n"
	if len(old) > 0 {
		text = "\n" + text
	}
	if len(old) > 0 && !bytes.HasSuffix(old, []byte("\n")) {
		text = "\n" + text
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
