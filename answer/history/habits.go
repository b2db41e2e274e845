package history

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recall/index/habits"
	"recall/ingest"
	"recall/ingest/trace"
	"recall/internal/text"
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

// readMost is how many of a project's latest sessions are read for reactions to calls.
const readMost = 200

// Habits finds what a person said in several sessions of a project ("": all): typed, or in reaction to calls and
// questions (see stancesOf). What a rule already says is marked.
func Habits(ctx context.Context, p *pipeline.Pipeline, project string, least int, rules Rules) ([]Habit, error) {
	typed, err := p.Index.Typed(ctx, project)
	if err != nil {
		return nil, err
	}
	var turns []habits.Turn
	for _, h := range typed {
		turns = append(turns, habits.Turn{Session: h.Session, At: h.At, Text: h.Text})
	}
	found := []Habit{}
	for _, h := range habits.Find(turns, least) {
		var said []Saying
		for _, s := range h.Sayings {
			at := typed[s.Place]
			said = append(said, Saying{Project: at.Project, Session: at.Session, Number: at.SessionN, Turn: at.Turn,
				At: at.At, Quote: s.Text})
		}
		habit := habitOf(h.Text, said)
		habit.There = rules.Say(habit.Text)
		found = append(found, habit)
	}
	said, err := stancesOf(ctx, p, project, least)
	for _, h := range said { // "push" and "not push" are alike, so require the same words
		h.There = rules.saidBy(func(line string) bool { return sameWords(line, h.Text) })
		found = append(found, h)
	}
	return found, err
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

// A kind of call counts as regularly refused if a quarter of its calls were, or its rate is ten times the average.
const refusedShare, refusedTimes = 0.25, 10

// A stance is how a person reacted to calls of one kind, or to one question.
type stance struct {
	made    int
	no, yes []Saying
}

// stances are the reactions found so far, to kinds of calls and to questions.
type stances struct {
	calls, questions map[string]*stance
}

// stancesOf finds what a person refused in at least least sessions, and what they always agreed to: a kind of call
// approved, a question answered the same way. What runs without asking is in no transcript.
func stancesOf(ctx context.Context, p *pipeline.Pipeline, project string, least int) ([]Habit, error) {
	catalog, err := p.Library.Catalog()
	if err != nil {
		return nil, err
	}
	all := stances{map[string]*stance{}, map[string]*stance{}}
	read := 0
	for _, e := range slices.Backward(catalog.Entries) {
		if project != "" && !catalog.WorkedIn(e, project) || read == readMost {
			continue
		}
		read++
		s, err := p.Read(ctx, e.ID)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			continue // sync and check report it
		}
		for _, a := range trace.Actions(s) {
			if !a.Copied && a.Agent == "" {
				all.observe(&a, Saying{Project: catalog.Of(e).Name, Session: string(e.ID),
					Number: catalog.Number[string(e.ID)], Turn: a.N, At: a.At})
			}
		}
	}
	return all.habits(least), nil
}

// observe takes in a call that was made at a place.
func (s stances) observe(a *trace.Action, at Saying) {
	about := func(of map[string]*stance, key string) *stance {
		if of[key] == nil {
			of[key] = &stance{}
		}
		return of[key]
	}
	for _, q := range a.Call.Answers {
		at.Quote = text.Clip(line(strings.Join(q.Chosen, ", ")), 120)
		of := about(s.questions, text.Clip(line(q.Question), 160))
		of.yes = append(of.yes, at)
	}
	kind := kindOf(a)
	if kind == "" {
		return
	}
	at.Quote = text.Clip(line(cmp.Or(a.Call.Command, a.Call.Path, a.Call.Name)), 120)
	of := about(s.calls, kind)
	of.made++
	switch a.Call.Verdict {
	case ingest.Rejected:
		of.no = append(of.no, at)
	case ingest.Approved:
		of.yes = append(of.yes, at)
	}
}

// habits lists what was regularly refused, or always agreed to.
func (s stances) habits(least int) (found []Habit) {
	keep := func(text string, at []Saying) {
		if len(at) < least {
			return
		}
		if h := habitOf(text, at); h.Sessions >= least {
			found = append(found, h)
		}
	}
	all, no := 0.0, 0.0
	for _, of := range s.calls {
		all, no = all+float64(of.made), no+float64(len(of.no))
	}
	for kind, of := range s.calls {
		if float64(len(of.no))/float64(of.made) >= min(refusedShare, refusedTimes*no/all) {
			keep("Ask before "+kind+".", of.no)
		}
		if len(of.no) == 0 {
			keep("No need to ask before "+kind+".", of.yes)
		}
	}
	for question, of := range s.questions {
		answer := of.yes[0].Quote
		if answer != "" && !slices.ContainsFunc(of.yes, func(s Saying) bool { return s.Quote != answer }) {
			keep(fmt.Sprintf("No need to ask: “%s” — %s.", question, strings.TrimRight(answer, ".")), of.yes)
		}
	}
	slices.SortFunc(found, func(a, b Habit) int {
		return cmp.Or(b.Sessions-a.Sessions, strings.Compare(a.Text, b.Text))
	})
	return found
}

// sameWords reports whether two texts differ only in case and in what separates words.
func sameWords(a, b string) bool { return slices.Equal(text.Split(a), text.Split(b)) }

// kindOf says what a call does, as a rule would name it: a command by its program and subcommand (the last of a line
// that isn't piped into), an edit by its file; "" for calls that only ask or look.
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

// verb matches a subcommand such as `commit`, not a flag or a file.
var verb = text.Pattern(`^[a-z][a-z-]*$`)

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
	return r.saidBy(func(line string) bool { return payload.Alike(line, text) >= alreadySaid })
}

func (r Rules) saidBy(same func(line string) bool) string {
	for file, lines := range r {
		if slices.ContainsFunc(lines, same) {
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

// within returns a path relative to a folder that contains it, else the path.
func within(path, dir string) string {
	if rest, ok := strings.CutPrefix(filepath.ToSlash(path), strings.TrimRight(filepath.ToSlash(dir), "/")+"/"); ok &&
		dir != "" {
		return rest
	}
	return path
}
