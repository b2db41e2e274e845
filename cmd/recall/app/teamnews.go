package app

import (
	"time"

	"recall/config"
	"recall/hooks"
	"recall/library"
	"recall/team"
)

// TeamNews is what is known of the team, nil if there is none or it isn't asked: what others decided since one last
// looked, or since a time, in a project or in all.
func (a *App) TeamNews(l *library.Library, since time.Time, project string) *team.Brief {
	m, err := team.MembershipOf(l.Dir())
	if err != nil || a.Config.Team.Answers == config.TeamOff {
		return nil
	}
	projects, _ := l.Projects()
	return m.Brief(since, projects, project)
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
