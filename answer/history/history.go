// Package history answers questions about what sessions did: who touched a file, why a line reads as it does, what was
// done about an error, what was decided when. It needs a pipeline whose index is open. All of recall's git runs here.
package history

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"recall/distill"
	"recall/index"
	"recall/ingest"
	"recall/ingest/trace"
	"recall/internal/escape"
	"recall/internal/text"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

// line returns untrusted text as one harmless line.
func line(s string) string { return escape.Line(s, escape.Terminal) }

var lineEnd = text.Pattern(`^(.+?):(\d{1,9})(?::\d+)?$`)

// FileLine splits FILE:LINE or FILE:LINE:COLUMN; the line is 0 for other arguments, and for a file whose own name
// ends that way.
func FileLine(arg string) (file string, line int) {
	m := lineEnd().FindStringSubmatch(arg)
	if m == nil || ingest.IsFile(arg) {
		return arg, 0
	}
	n, err := strconv.Atoi(m[2])
	if err != nil {
		return arg, 0
	}
	return m[1], n
}

// Files says who touched a file.
type Files struct {
	Schema   int       `json:"schema"` // 1
	Path     string    `json:"path"`   // as asked for
	Project  string    `json:"project,omitempty"`
	Also     []string  `json:"also,omitempty"` // its other names, below the project's folder
	Sessions []Toucher `json:"sessions"`       // the newest first
}

// Toucher is a session that touched a file, and what it decided about it.
type Toucher struct {
	library.SessionRef
	Paths []string       `json:"paths"` // as the session's machine names it
	How   []trace.How    `json:"how"`
	Calls int            `json:"calls"`
	Turn  int            `json:"turn,omitempty"` // of the last touch
	At    time.Time      `json:"at,omitzero"`
	Items []payload.Item `json:"items"`
}

// FilesOf lists who touched the file that a path stands for, under any of its names.
func FilesOf(ctx context.Context, p *pipeline.Pipeline, path string) (*Files, error) {
	names, err := nameFile(p.Library, path)
	if err != nil {
		return nil, err
	}
	doc := &Files{Schema: 1, Path: path, Sessions: []Toucher{}}
	if names.project != nil {
		doc.Project = names.project.Name
	}
	touched, err := names.touched(ctx, p.Index)
	if err != nil {
		return nil, err
	}
	catalog, err := p.Library.Catalog()
	if err != nil {
		return nil, err
	}
	at := map[string]int{}
	var ids []string
	for _, t := range touched {
		i, ok := at[t.Session]
		if !ok {
			i = len(ids)
			at[t.Session] = i
			ids = append(ids, t.Session)
			doc.Sessions = append(doc.Sessions, Toucher{SessionRef: catalog.Ref(t.Session), Turn: t.N, At: t.At,
				Items: []payload.Item{}})
		}
		s := &doc.Sessions[i]
		s.Paths, s.Calls, s.How = append(s.Paths, t.Path), s.Calls+t.Calls, ingest.Union(s.How, t.Hows...)
		if rel, ok := belowAny(slashed(t.Path), names.roots); ok && rel != names.rels[0] &&
			!slices.Contains(doc.Also, rel) {
			doc.Also = append(doc.Also, rel)
		}
	}
	items, err := p.Index.ItemsAmong(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, one := range items {
		if s := &doc.Sessions[at[one.Session]]; names.concerns(one.Item) {
			s.Items = append(s.Items, one.Item)
		}
	}
	return doc, nil
}

// Fate says that the file was only in the session's machine, of which recall may hold some; "" if it wasn't.
func (s Toucher) Fate() string {
	if slices.ContainsFunc(s.Paths, func(path string) bool { return !distill.IsFleeting(path) }) {
		return ""
	}
	return "in its virtual machine only; recall manifest SESSION says what of it is kept"
}

// Thread is the sessions of one task.
type Thread struct {
	Project  string             `json:"project"`
	Branch   string             `json:"branch,omitempty"`
	Goal     string             `json:"goal,omitempty"`
	Start    time.Time          `json:"start,omitzero"`
	End      time.Time          `json:"end,omitzero"`
	Sessions []ingest.SessionID `json:"sessions"` // oldest first

	Refs []library.SessionRef `json:"-"`
}

// Threads lists the threads of a project, or the one that session of belongs to ("" for all). The index may be nil.
func Threads(ctx context.Context, l *library.Library, x *index.Index, catalog *library.Catalog, project string,
	of ingest.SessionID) (all []Thread, err error) {
	threads, err := pipeline.Threads(ctx, l, x, catalog.In(project))
	for _, t := range threads {
		d := Thread{Project: catalog.Project[project].Name, Start: t[0].Start}
		for _, s := range t {
			d.Refs = append(d.Refs, catalog.Ref(s.Session))
			d.Sessions = append(d.Sessions, ingest.SessionID(s.Session))
			if s.End.After(d.End) {
				d.End, d.Branch = s.End, s.Branch
			}
			d.Goal = cmp.Or(s.Goal, d.Goal)
		}
		if of == "" || slices.Contains(d.Sessions, of) {
			all = append(all, d)
		}
	}
	return all, err
}

// Questions returns up to n questions that the newest sessions decided.
func Questions(l *library.Library, n int) (questions []string) {
	entries, err := l.Sessions()
	if err != nil {
		return nil
	}
	slices.SortStableFunc(entries, func(a, b library.Entry) int { return b.End.Compare(a.End) })
	for _, e := range entries {
		p, err := l.Payload(e.ID)
		if err != nil {
			continue
		}
		for _, it := range p.Items {
			if it.Kind != payload.Decision || !it.Current() {
				continue
			}
			question, _, asked := strings.Cut(line(it.Text), "? → ")
			if !asked {
				question = "what did we decide about " + strings.TrimRight(text.Clip(line(e.Title), 60), ".?!…")
			}
			if question += "?"; !slices.Contains(questions, question) {
				questions = append(questions, question)
			}
			if len(questions) == n {
				return questions
			}
		}
	}
	return questions
}

// Run is what the last run of a kind did that found something.
type Run struct {
	At        time.Time `json:"at"`
	MS        int       `json:"ms"`
	New       int       `json:"new"`
	Grown     int       `json:"grown"`
	Distilled int       `json:"distilled"`
	Improved  int       `json:"improved"` // by a model
	Queued    int       `json:"queued"`   // waiting for a model
	Skipped   int       `json:"skipped"`
}

// RunOf returns the last run of a kind, nil if there was none.
func RunOf(last map[string]library.JournalEntry, kind string) *Run {
	f, ok := last[kind]
	if !ok {
		return nil
	}
	return &Run{At: f.At, MS: f.N("ms"), New: f.N("new"), Grown: f.N("grown"), Distilled: f.N("distilled"),
		Improved: f.N("improved"), Queued: f.N("queued"), Skipped: f.N("skipped")}
}

// Words describes what a run did.
func (r *Run) Words() string {
	parts := text.Counts("new|grown|distilled|improved|queued|skipped", r.New, r.Grown, r.Distilled, r.Improved,
		r.Queued, r.Skipped)
	return cmp.Or(strings.Join(parts, ", "), "nothing new")
}

// Actions lists the calls of a session: the JSON form of recall show --actions.
type Actions struct {
	Schema  int              `json:"schema"` // 1
	Session ingest.SessionID `json:"session"`
	Title   string           `json:"title"`
	Actions []actionDoc      `json:"actions"` // in order, a sub-agent's after the call that started it

	Done []trace.Action `json:"-"` // the same, for display
}

type actionDoc struct {
	Turn      int               `json:"turn,omitempty"` // a sub-agent's: the turn that started it
	TurnID    ingest.TurnID     `json:"turn_id"`
	Agent     string            `json:"agent,omitempty"`
	Tool      string            `json:"tool"`
	Input     map[string]string `json:"input,omitempty"`
	Outcome   string            `json:"outcome"` // ok, failed, rejected, denied, no result
	Said      string            `json:"said,omitempty"`
	Result    string            `json:"result,omitempty"`
	At        time.Time         `json:"at,omitzero"`
	Seconds   float64           `json:"seconds,omitempty"`
	Why       string            `json:"why,omitempty"`
	Files     []trace.Touch     `json:"files,omitempty"`
	Commit    string            `json:"commit,omitempty"`
	Abandoned bool              `json:"abandoned,omitempty"`
	Copied    bool              `json:"copied,omitempty"`
}

// ActionsOf lists a session's calls.
func ActionsOf(s *ingest.Session) Actions {
	d := Actions{Schema: 1, Session: s.ID, Title: s.Title, Actions: []actionDoc{}, Done: trace.OfSession(s).Actions}
	for _, x := range d.Done {
		d.Actions = append(d.Actions, actionDoc{Turn: x.N, TurnID: x.Turn, Agent: x.Agent, Tool: x.Call.Name,
			Input: x.Call.Input, Outcome: x.Call.Outcome(), Said: x.Call.Reason, Result: x.Call.Result, At: x.At,
			Seconds: x.Took.Seconds(), Why: x.Why, Commit: x.Call.Commit, Abandoned: x.Abandoned, Copied: x.Copied,
			Files: x.Touches})
	}
	return d
}

// Called describes a call on one line: the tool and its main argument.
func (Actions) Called(x trace.Action) string {
	switch c, with := x.Call, x.Call.With(); {
	case with == "":
		return c.Name
	case c.Command == "" && c.Path != "":
		return c.Name + " " + with
	default:
		return c.Name + ": " + with
	}
}

// Time says how long a call took; "" if unknown.
func (Actions) Time(x trace.Action) string {
	switch {
	case x.Took <= 0:
		return ""
	case x.Took < time.Minute:
		return fmt.Sprintf("%.0f s", x.Took.Seconds())
	}
	return x.Took.Round(time.Second).String()
}

// Gist describes a call's result: its outcome, and the first line that it printed.
func (Actions) Gist(x trace.Action) string {
	c, out := x.Call, x.Call.Outcome()
	if c.Reason != "" {
		return out + ": " + c.Reason
	}
	if c.Commit != "" {
		return out + ": commit " + c.Commit + " " + c.CommitMessage
	}
	for line := range strings.Lines(c.Result) {
		if line = strings.TrimSpace(line); line != "" && out != "rejected" && !strings.HasPrefix(line, "Exit code ") {
			return out + ": " + line
		}
	}
	return out
}
