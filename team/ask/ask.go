// Package ask queries a library's team besides the library's own index, and ranks both together.
package ask

import (
	"context"
	"errors"
	"fmt"
	"time"

	"recall/index"
	"recall/ingest"
	"recall/internal/escape"
	"recall/internal/hint"
	txt "recall/internal/text"
	"recall/library"
	"recall/team"
)

// Timeouts for the team. The server's first response is awaited for team.wait: an unreachable or silent server costs
// that at most, and then nothing for the time of skipFor.
const (
	answerWait = 1500 * time.Millisecond // for the rest after the first response
	skipFor    = time.Minute
)

// Lately reports whether the team was unreachable just now and so isn't queried.
func Lately(m *team.Membership) bool { return m.Unreached(skipFor) }

// Open connects to the library's team, unless its server doesn't respond within wait.
func Open(ctx context.Context, m *team.Membership, wait time.Duration) (t *team.Team, err error) {
	err = within(ctx, m, wait, func(ctx context.Context, there func()) (err error) {
		t, err = team.Open(ctx, m.Address, there)
		return err
	})
	return t, err
}

// within does something with the server, which calls there at its first response, and notes whether there was one.
func within(ctx context.Context, m *team.Membership, wait time.Duration,
	do func(ctx context.Context, there func()) error) error {
	timed, cancel := context.WithCancel(ctx)
	defer cancel()
	late := time.AfterFunc(wait, cancel)
	defer late.Stop()
	err := do(timed, func() { late.Reset(answerWait) })
	if ctx.Err() != nil {
		return err
	}
	if err != nil && timed.Err() != nil {
		err = errLate
	}
	m.NoteReached(!errors.Is(err, team.ErrUnreachable))
	return err
}

// errLate is the error for a server that didn't respond in time.
var errLate = hint.With(fmt.Errorf("%w: it didn't answer in time", team.ErrUnreachable),
	"team.wait in config.yaml makes questions wait longer for it")

// Both searches a library's index together with its team's memory. It is an answer.Index.
type Both struct {
	Library *library.Library
	Index   *index.Index
	Wait    time.Duration
	Off     bool // don't ask the team
	Only    bool // ask only the team
}

// team asks the library's team, unless it was unreachable just now and others answer too. The caller closes it.
func (b *Both) team(ctx context.Context, m *team.Membership, q index.Query) (t *team.Team, all *index.ForeignResults,
	err error) {
	wait := b.Wait
	if b.Only {
		wait = answerWait
	} else if Lately(m) {
		return nil, nil, team.ErrUnreachable
	}
	if known, err := b.Library.Project(q.Project); err == nil && known.Remote != "" {
		q.Project = known.Remote
	}
	err = within(ctx, m, wait, func(ctx context.Context, there func()) (err error) {
		if t, err = team.Open(ctx, m.Address, there); err != nil {
			return err
		}
		if all, err = t.Candidates(ctx, q); err != nil {
			t.Close()
		}
		return err
	})
	if err == nil {
		team.Receive(all)
	}
	return t, all, err
}

// Search answers from both in one ranking.
func (b *Both) Search(ctx context.Context, q index.Query) (found index.Answer, err error) {
	if q.Corrected, err = b.Library.Corrections(); err != nil {
		return found, err
	}
	m, none := team.MembershipOf(b.Library.Dir())
	switch {
	case b.Only && none != nil:
		return index.Answer{}, team.ErrNoMembership
	case b.Off || none != nil:
		return b.Index.Search(ctx, q)
	}
	t, all, err := b.team(ctx, m, q)
	if err == nil {
		defer t.Close()
	}
	switch {
	case b.Only && err != nil:
		return index.Answer{}, err
	case b.Only:
		found := all.Asked.Rank(*all)
		found.SearchedItems, found.SearchedElsewhere = 0, found.SearchedItems
		team.Tie(found.Ranked, all.Items)
		return found, nil
	case err != nil:
		found, failed := b.Index.Search(ctx, q)
		found.Unasked = txt.Clip(escape.Line(err.Error(), escape.Terminal), 160)
		if errors.Is(err, errLate) {
			found.Unasked += "; " + hint.Of(err)
		}
		return found, failed
	}
	all.Without(t.Member.Name, func(session string) bool { // by session, since two machines may share a name
		_, err := b.Library.Session(ingest.SessionID(session))
		return err == nil
	})
	q.Elsewhere = all
	found, err = b.Index.Search(ctx, q)
	if err == nil {
		team.Tie(found.Ranked, all.Items)
	}
	return found, err
}
