package app

import (
	"context"
	"errors"
	"time"

	"recall/cmd/recall/terminal"
	"recall/config"
	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/team"
	txt "recall/text"
)

// How long a question waits for the team. One that isn't there costs teamConnects at most, and then nothing for
// teamForgiven. One far away that was there within teamLater is waited for somewhat longer than it took then.
const (
	teamConnects = 25 * time.Millisecond // for somebody to be there, beside what was done since it was begun
	teamFarAway  = 300 * time.Millisecond
	teamAnswers  = 1500 * time.Millisecond // for the answer then
	teamForgiven = time.Minute
)

// A mate is the team's side of a question, asked beside the library.
type mate struct {
	text, project string
	m             *team.Membership
	there         chan struct{} // closed once the server is
	found         chan mateFound
	cancel        context.CancelFunc
}

type mateFound struct {
	t   *team.Team
	all *index.Elsewhere
	err error
}

// AskTeam begins to ask the team a question, if that is to be asked: what is done meanwhile costs no time.
func (a *App) AskTeam(ctx context.Context, l *library.Library, q index.Query) {
	m, err := team.MembershipOf(l.Dir())
	only := a.Config.Team.Answers == config.TeamOnly
	if err != nil || a.Config.Team.Answers == config.TeamOff || !only && m.Unreached(teamForgiven) {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	w := &mate{text: q.Text, project: q.Project, m: m, there: make(chan struct{}), found: make(chan mateFound, 1),
		cancel: cancel}
	if known, err := l.Project(q.Project); err == nil && known.Remote != "" {
		q.Project = known.Remote
	}
	go func() {
		var got mateFound
		began := time.Now()
		there := func() {
			m.NoteReached(time.Since(began))
			close(w.there)
		}
		if got.t, got.err = team.Open(ctx, m.Address, there); got.err == nil {
			if got.all, got.err = got.t.Candidates(ctx, q); got.err != nil || ctx.Err() != nil {
				got.t.Close()
			}
		}
		w.found <- got
	}()
	a.mates.Lock()
	other := a.mate
	a.mate = w
	a.mates.Unlock()
	other.drop()
}

// mateOf is the team's side of a question, begun by now if it wasn't; nil where the team isn't asked.
func (a *App) mateOf(ctx context.Context, l *library.Library, q index.Query) (w *mate) {
	take := func() {
		a.mates.Lock()
		w, a.mate = a.mate, nil
		a.mates.Unlock()
	}
	if take(); w == nil || w.text != q.Text || w.project != q.Project {
		w.drop()
		a.AskTeam(ctx, l, q)
		take()
	}
	return w
}

// drop is for a question whose answer isn't waited for.
func (w *mate) drop() {
	if w == nil {
		return
	}
	w.cancel()
	go func() {
		if got := <-w.found; got.err == nil {
			got.t.Close()
		}
	}()
}

// answer waits for what the team has; the caller closes the team.
func (w *mate) answer(ctx context.Context, connects time.Duration) (mateFound, error) {
	late := time.NewTimer(connects)
	defer late.Stop()
	there := w.there
	for {
		select {
		case got := <-w.found:
			if errors.Is(got.err, team.ErrUnreachable) {
				w.m.NoteUnreached()
			}
			return got, got.err
		case <-there:
			there = nil
			late.Reset(teamAnswers)
		case <-late.C:
			w.m.NoteUnreached()
			w.drop()
			return mateFound{}, errTeamLate
		case <-ctx.Done():
			w.drop()
			return mateFound{}, ctx.Err()
		}
	}
}

var errTeamLate = errors.New("the team's database didn't answer in time")

// Both is the index of a library with the team's memory beside it, as team.answers says. Its index is the app's.
func (a *App) Both(l *library.Library) *Both { return &Both{a: a, l: l} }

// Both is an answer.Index.
type Both struct {
	a   *App
	l   *library.Library
	Why string // why an answer is without the team's memory; "" if it isn't, or there is none
}

// Search answers from both by one ranking.
func (b *Both) Search(ctx context.Context, q index.Query) (index.Answer, error) {
	a := b.a
	w := a.mateOf(ctx, b.l, q)
	if a.Config.Team.Answers == config.TeamOnly {
		return b.only(ctx, w, q)
	}
	var got mateFound
	err := team.ErrUnreachable // a moment ago
	switch _, none := team.MembershipOf(b.l.Dir()); {
	case w != nil:
		defer w.cancel()
		got, err = w.answer(ctx, max(teamConnects, min(w.m.Reached(teamLater)*3/2, teamFarAway)))
	case none != nil || a.Config.Team.Answers == config.TeamOff:
		return a.Index.Search(ctx, q)
	}
	if err != nil {
		b.Why = "this answer is without what your team shares: " + txt.Clip(terminal.Line(err.Error()), 160)
		return a.Index.Search(ctx, q)
	}
	defer got.t.Close()
	got.all.Without(got.t.Member.Name, func(session string) bool { // two machines may have one name
		_, err := b.l.Session(ingest.SessionID(session))
		return err == nil
	})
	q.Elsewhere = got.all
	found, err := a.Index.Search(ctx, q)
	if err == nil {
		got.t.Tie(ctx, found.Ranked)
	}
	return found, err
}

// only answers from the team alone.
func (b *Both) only(ctx context.Context, w *mate, q index.Query) (index.Answer, error) {
	if w == nil {
		return index.Answer{}, team.ErrNoMembership
	}
	defer w.cancel()
	got, err := w.answer(ctx, teamAnswers)
	if err != nil {
		return index.Answer{}, err
	}
	defer got.t.Close()
	found := got.all.Asked.Rank(*got.all)
	got.t.Tie(ctx, found.Ranked)
	return found, nil
}
