package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gofrs/flock"

	"recall/answer"
	"recall/internal/hint"
	"recall/library"
	"recall/pipeline"
	"recall/team"
	"recall/team/share"
)

// Team opens the library's team for a command that needs it: it waits some seconds for an answer. The membership is
// returned even with an error. The caller closes the team.
func (a *App) Team(ctx context.Context) (*team.Team, *team.Membership, error) {
	m, err := team.MembershipOf(a.Lib.Dir())
	if err != nil {
		return nil, nil, err
	}
	t, err := team.Open(ctx, m.Address)
	if err == nil && t.ID != m.Team {
		t.Close()
		t, err = nil, hint.With(fmt.Errorf("%s holds a different team, %s, than the one this library is in (%s)",
			m.Address, t.Name, m.Name), "to switch to it: recall team leave, then join it")
	}
	return t, m, err
}

// Leaving returns what decides which parts of the library may leave for its team.
func (a *App) Leaving() *share.Source {
	p, x := a.Archiver(), a.Exclusion()
	out := p.Excluded()
	return &share.Source{Library: a.Lib, Exclusion: fmt.Sprint(x),
		Excluded: func(ctx context.Context, e library.Entry, of library.Project) (string, error) {
			if rule := cmp.Or(x.Folder(of.Root), out[e.ID]); rule != "" || !x.Any() {
				return rule, nil
			}
			f, err := a.Lib.Found(e.ID)
			if err != nil {
				return "", err
			}
			return p.Excludes(ctx, f)
		}}
}

// SyncTeam sends what is shared and fetches what others decided; one run per library at a time.
func (a *App) SyncTeam(ctx context.Context) (done *team.Synced, err error) {
	m, err := team.MembershipOf(a.Lib.Dir())
	if err != nil {
		return nil, err
	}
	lock := flock.New(m.Path("sync.lock"), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, 50*time.Millisecond); err != nil {
		return nil, err
	}
	defer lock.Unlock()
	t, _, err := a.Team(ctx)
	if err != nil {
		return nil, errors.Join(err, m.KeepSynced(&team.Synced{At: time.Now().UTC(), Problem: err.Error()}))
	}
	defer t.Close()
	done, fault := t.Errands(ctx, a.Lib)
	fault = errors.Join(fault, a.Leaving().Sync(ctx, t, m, done))
	if err := errors.Join(m.Fetch(ctx, t), a.IndexShared(ctx)); err != nil { // most syncs run unattended
		done.Problem = err.Error()
		fault = errors.Join(fault, err, m.KeepSynced(done))
	}
	return done, fault
}

// IndexShared brings the index up to date with what others share.
func (a *App) IndexShared(ctx context.Context) error {
	return a.OnIndex(ctx, func(p *pipeline.Pipeline) error { return p.IndexShared(ctx) })
}

// How long after the last sync with the team commands start another one in the background.
const (
	teamSoon  = 10 * time.Second // if there is something new here
	teamLater = 10 * time.Minute
)

// TeamBeside syncs with the team, if there is one, in a background process.
func (a *App) TeamBeside(news bool) {
	m, err := team.MembershipOf(a.Lib.Dir())
	if err != nil || a.Lib.ReadOnly() != nil {
		return
	}
	wait := teamLater
	if news {
		wait = teamSoon
	}
	if !m.SyncedWithin(wait) {
		a.Background("team", "sync")
	}
}

// TeamNews returns what others in the team decided since a time, or since the person last looked, in a project or in
// all; nil if there is no team.
func (a *App) TeamNews(since time.Time, project string) *team.Brief {
	m, err := team.MembershipOf(a.Lib.Dir())
	if err != nil {
		return nil
	}
	projects, _ := a.Lib.Projects()
	return m.Brief(since, projects, project)
}

// transcriptWait is how long the team has for a transcript, without which a session is shown, too.
const transcriptWait = 3 * time.Second

// SharedSession returns a session that somebody else shares with the team, ID or ID@MEMBER: what was decided in it from
// the library's copy, and its transcript, if that is shared, from the team. The error is library.ErrNoSession if nobody
// shares it, or there is no team.
func (a *App) SharedSession(ctx context.Context, id string) (*answer.Shared, error) {
	copied := team.CopyOf(a.Lib)
	if copied == nil {
		return nil, library.ErrNoSession
	}
	at, err := copied.Session(id)
	if errors.Is(err, team.ErrNotShared) {
		return nil, library.ErrNoSession
	}
	if err != nil {
		return nil, err
	}
	of := &answer.Shared{Session: at.Session, Title: at.Title, Author: at.Author, Machine: at.Machine,
		Payload: at.Payload()}
	if !at.Transcript {
		return of, nil
	}
	ctx, cancel := context.WithTimeout(ctx, transcriptWait)
	defer cancel()
	t, _, err := a.Team(ctx)
	if err == nil {
		defer t.Close()
		of.Transcript, err = t.Transcript(ctx, at)
	}
	if err != nil {
		of.Without = "its transcript can't be had now: " + err.Error()
	}
	return of, nil
}
