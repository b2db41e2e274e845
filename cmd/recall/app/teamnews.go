package app

import (
	"time"

	"recall/config"
	"recall/hooks"
	"recall/library"
	"recall/team"
)

// TeamDoc is what status says of the team: as of the last time that it was asked, which costs a command nothing.
type TeamDoc struct {
	Name    string      `json:"name"`
	Shared  int         `json:"shared"`            // projects
	Waiting int         `json:"waiting,omitempty"` // sessions that couldn't be sent yet
	Problem string      `json:"problem,omitempty"` // why
	Notes   int         `json:"notes,omitempty"`   // that recall team status has
	Looked  time.Time   `json:"looked,omitzero"`   // when one last looked at what others decided, by log --changed
	Others  []team.Told `json:"others"`            // what they decided since
}

// TeamNews is what is known of the team, nil if there is none: what others decided since one last looked, or since a
// time, in a project or in all.
func (a *App) TeamNews(l *library.Library, since time.Time, project string) *TeamDoc {
	m, err := team.MembershipOf(l.Dir())
	if err != nil || a.Config.Team.Answers == config.TeamOff {
		return nil
	}
	doc := &TeamDoc{Name: m.Name, Looked: m.Looked(), Others: []team.Told{}}
	shares, err := m.Shares()
	if err != nil {
		doc.Problem = err.Error()
	}
	for _, s := range shares {
		if s.Level.Has(team.LevelItems) {
			doc.Shared++
		}
	}
	if last := m.Synced(); last != nil && doc.Problem == "" {
		doc.Waiting, doc.Problem, doc.Notes = last.Waiting, last.Problem, len(last.Notes)+len(last.Happened)
	}
	if since.IsZero() {
		since = doc.Looked
	}
	projects, _ := l.Projects()
	doc.Others = append(doc.Others, m.News().Since(since, projects, shares, project)...)
	return doc
}

// LookedAtTeam says that a person saw what others decided.
func (a *App) LookedAtTeam(l *library.Library) {
	if m, err := team.MembershipOf(l.Dir()); err == nil {
		m.LookedNow()
	}
}

// How much of the news a new session is told, and how old it may be.
const (
	newsTold = 3
	newsAge  = 7 * 24 * time.Hour
)

// ToldByTeam are the newest things that others decided in a project, for a session that starts there.
func (a *App) ToldByTeam(l *library.Library, project string) (told []hooks.Told) {
	since := time.Now().Add(-newsAge)
	doc := a.TeamNews(l, since, project)
	if doc == nil {
		return nil
	}
	a.TeamBeside(l, false)
	for _, one := range doc.Others {
		if one.Came.After(doc.Looked) && len(told) < newsTold {
			told = append(told, hooks.Told{ID: one.Item.ID, Line: one.Line(time.Now())})
		}
	}
	return told
}
