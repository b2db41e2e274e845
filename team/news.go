package team

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"recall/internal/escape"
	txt "recall/internal/text"
	"recall/library"
	"recall/payload"
)

// Told is another person's item, safe to show.
type Told struct {
	Author  string       `json:"author"`
	Machine string       `json:"machine"`
	Project string       `json:"project"` // its name in this library, otherwise the team's
	Title   string       `json:"title"`   // of the session
	Session string       `json:"session"`
	Came    time.Time    `json:"came"` // when it arrived here
	Item    payload.Item `json:"item"`
}

const (
	newsDays = 30
	maxNews  = 200
)

// newsKinds are the kinds of settled things.
var newsKinds = []payload.Kind{payload.Decision, payload.Eliminated, payload.Finding}

// news returns what other people decided recently that arrived since a time, in one of the library's projects or in
// all, the latest first.
func (m *Membership) news(since time.Time, projects []library.Project, shares map[string]Share, only string) []Told {
	from := time.Now().AddDate(0, 0, -newsDays)
	var out []Told
	twice := map[string]bool{} // from two of their machines
	m.copiedSince(slices.MaxFunc([]time.Time{since, from}, time.Time.Compare), func(c *Copied) {
		if c.Member == m.Member || c.Put.Before(from) {
			return
		}
		project := c.projectIn(projects, shares)
		here := slices.ContainsFunc(projects, func(p library.Project) bool { return c.of(p, shares[p.ID].As) })
		if only != "" && (!here || project != only) {
			return
		}
		for _, one := range c.Items {
			key := fmt.Sprint(c.Member, " ", one.Item.ID)
			if twice[key] || !one.Came.After(since) || !slices.Contains(newsKinds, one.Item.Kind) {
				continue
			}
			twice[key] = true
			out = append(out, Told{Author: c.Author, Machine: c.Machine, Project: project, Title: c.Title,
				Session: txt.Clip(escape.Line(c.Session, escape.Markdown), 200), Came: one.Came, Item: one.Item})
		}
	})
	slices.SortStableFunc(out, func(a, b Told) int { return cmp.Compare(b.Item.At.Unix(), a.Item.At.Unix()) })
	return out[:min(len(out), maxNews)]
}

// Looked returns when a person last looked at the news. A time in the future, from a wrong clock, is ignored,
// so that news is shown again rather than never.
func (m *Membership) Looked() (at time.Time) {
	if m.read("looked.json", &at); at.After(time.Now()) {
		return time.Time{}
	}
	return at
}

// Line describes the item with its quote, both shortened: "Ana decided yesterday: … (“…”)".
func (t Told) Line(now time.Time) string {
	what := map[payload.Kind]string{payload.Eliminated: "ruled out", payload.Finding: "found"}
	day := t.Item.At.Local().Format(time.DateOnly)
	switch day {
	case now.Local().Format(time.DateOnly):
		day = "today"
	case now.Local().AddDate(0, 0, -1).Format(time.DateOnly):
		day = "yesterday"
	default:
		day = "on " + day
	}
	text := t.Item.Text
	if t.Item.Kind == payload.Eliminated {
		text = payload.RuledOutThing(text)
	}
	said := fmt.Sprintf("%s %s %s: %s", t.Author, cmp.Or(what[t.Item.Kind], "decided"), day, txt.Clip(text, mostTold))
	if quote := txt.Clip(t.Item.First().Quote, mostTold); quote != "" && quote != text {
		said += " (“" + quote + "”)"
	}
	return said
}

// mostTold is how many characters of another person's item, and of its quote, are told unasked.
const mostTold = 160

// LookedNow records that a person looks at the news now.
func (m *Membership) LookedNow() { _ = m.write("looked.json", time.Now().UTC()) }

// Brief is what recall status says of the team, as of the last contact, so that it costs a command nothing.
type Brief struct {
	Name    string    `json:"name"`
	Shared  int       `json:"shared"`            // projects
	Waiting int       `json:"waiting,omitempty"` // sessions that couldn't be sent yet
	Problem string    `json:"problem,omitempty"` // why
	Notes   int       `json:"notes,omitempty"`   // number of notes in recall team status
	Looked  time.Time `json:"looked,omitzero"`   // when others' decisions were last looked at, by log --changed
	Others  []Told    `json:"others"`            // what they decided since
}

// Brief returns what is known of the team: what others decided since a time, or since a person last looked, in
// one of the library's projects or in all.
func (m *Membership) Brief(since time.Time, projects []library.Project, only string) *Brief {
	doc := &Brief{Name: m.Name, Looked: m.Looked(), Others: []Told{}}
	shares, err := m.Shares()
	if err != nil {
		doc.Problem = err.Error()
	}
	for _, s := range shares {
		if s.Level.Has(LevelItems) {
			doc.Shared++
		}
	}
	if last := m.Synced(); last != nil && doc.Problem == "" {
		doc.Waiting, doc.Problem, doc.Notes = last.Waiting, last.Problem, len(last.Happened)
	}
	if since.IsZero() {
		since = doc.Looked
	}
	doc.Others = append(doc.Others, m.news(since, projects, shares, only)...)
	return doc
}
