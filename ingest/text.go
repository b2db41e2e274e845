package ingest

import (
	"maps"
	"slices"
	"strings"
)

// MapText replaces every text of the session that came from a person, a model,
// a tool or the machine it ran on by what f makes of it, in an order that is
// always the same: places, title, turns, sub-agents, tasks, compactions, names.
// Ids, hashes and times are left alone. Foreign parts of a text are mapped by
// themselves, so that they stay marked. What was told of s before, such as its
// Where, isn't changed: slices are replaced.
func (s *Session) MapText(f func(string) string) {
	m := mapper{f: f, names: map[string]string{}}
	m.where(&s.Where)
	m.text(&s.Title)
	for i := range s.Turns {
		m.turn(&s.Turns[i])
	}
	for i := range s.Subagents {
		sub := &s.Subagents[i]
		m.text(&sub.Description)
		m.name(&sub.Type)
		m.path(&sub.File)
		for k := range sub.Turns {
			m.turn(&sub.Turns[k])
		}
	}
	for i := range s.Tasks {
		m.text(&s.Tasks[i].Subject)
		m.text(&s.Tasks[i].Detail)
		m.name(&s.Tasks[i].ID)
		m.name(&s.Tasks[i].Status)
	}
	for i := range s.Compactions {
		m.text(&s.Compactions[i].Wish)
		m.name(&s.Compactions[i].Trigger)
	}
	for i := range s.PRs {
		m.text(&s.PRs[i].URL)
		m.path(&s.PRs[i].Repository)
	}
	for i := range s.Handed {
		m.text(&s.Handed[i])
	}
	s.PlanFiles = each(s.PlanFiles, m.path)
	s.Models, s.Versions = each(s.Models, m.name), each(s.Versions, m.name)
	m.name(&s.Schedule)
	m.files(s.Uploads)
	m.files(s.Outputs)
	m.report(&s.Report)
}

// mapper is a MapText at work.
type mapper struct {
	f     func(string) string
	names map[string]string // what became of what stands again and again
}

func (m mapper) text(s *string) {
	if *s != "" {
		*s = m.f(*s)
	}
}

func (m mapper) turn(t *Turn) {
	m.path(&t.Dir)
	m.path(&t.File)
	m.name(&t.Name)
	m.name(&t.Model)
	m.marked(t)
	m.text(&t.Thinking)
	t.Uploads = each(t.Uploads, m.path)
	for i := range t.Calls {
		m.call(&t.Calls[i])
	}
}

// marked maps a turn's text piece by piece, so that the places of its foreign
// parts move with it.
func (m mapper) marked(t *Turn) {
	if len(t.Foreign) == 0 {
		m.text(&t.Text)
		return
	}
	var out strings.Builder
	piece := func(s string) {
		m.text(&s)
		out.WriteString(s)
	}
	at := 0
	for i := range t.Foreign {
		f := &t.Foreign[i]
		from, to := min(max(f.From, at), len(t.Text)), min(max(f.To, at), len(t.Text))
		piece(t.Text[at:from])
		f.From = out.Len()
		piece(t.Text[from:max(from, to)])
		f.To = out.Len()
		at = max(from, to)
	}
	piece(t.Text[at:])
	t.Text = out.String()
}

func (m mapper) call(c *ToolCall) {
	m.name(&c.Name)
	m.path(&c.Path)
	m.path(&c.HostPath)
	m.path(&c.Spilled)
	for _, name := range slices.Sorted(maps.Keys(c.Input)) {
		m.input(c.Input, name)
	}
	m.text(&c.Command)
	m.text(&c.Result)
	m.text(&c.Reason)
	m.text(&c.Summary)
	m.text(&c.CommitMessage)
	for i := range c.Answers {
		m.answer(&c.Answers[i])
	}
	if c.Plan != nil {
		m.text(&c.Plan.Text)
		m.path(&c.Plan.File)
	}
	for i := range c.Edits {
		m.text(&c.Edits[i].Old)
		m.text(&c.Edits[i].New)
	}
}

func (m mapper) answer(a *Answer) {
	m.text(&a.Question)
	m.text(&a.Header)
	for i := range a.Options {
		m.text(&a.Options[i].Label)
		m.text(&a.Options[i].Description)
	}
	for i := range a.Chosen {
		m.text(&a.Chosen[i])
	}
	m.text(&a.Notes)
}

// input maps one of a call's values, and its name.
func (m mapper) input(in map[string]string, name string) {
	value, shown := m.named(name, in[name]), name
	if m.name(&shown); shown != name {
		delete(in, name)
	}
	in[shown] = value
}

// named maps a value together with its name: "hunter2" says nothing of what
// it is, "password=hunter2" does.
func (m mapper) named(name, value string) string {
	if value == "" {
		return ""
	}
	if rest, ok := strings.CutPrefix(m.f(name+"="+value), name+"="); ok {
		return rest
	}
	return m.f(value)
}
