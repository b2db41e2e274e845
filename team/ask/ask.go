// Package ask queries a library's team in parallel with the library's own index, and ranks both together.
package ask

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"recall/index"
	"recall/ingest"
	"recall/internal/escape"
	"recall/internal/hint"
	txt "recall/internal/text"
	"recall/library"
	"recall/team"
)

// Timeouts for the team. The server's first response is awaited for team.wait, in parallel with the search of the
// library: an unreachable or silent server costs that at most, and then nothing for the time of skipFor.
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

// An Asker has the last question to the team, if its answer hasn't been fetched yet. Its zero value is ready for use.
type Asker struct{ last atomic.Pointer[pending] }

// pending is a question to the team, running in the background until its answer is fetched or it is cancelled.
type pending struct {
	text, project string
	found         chan teamAnswer
	cancel        context.CancelFunc
}

type teamAnswer struct {
	t   *team.Team // for the fetcher to close, if err is nil
	all *index.ForeignResults
	err error
}

// Both searches a library's index together with its team's memory. It is an answer.Index.
type Both struct {
	Asker   *Asker
	Library *library.Library
	Index   *index.Index
	Wait    time.Duration
	Off     bool // don't ask the team
	Only    bool // ask only the team
}

// Begin starts asking the team in the background, for a Search to come.
func (b *Both) Begin(ctx context.Context, q index.Query) {
	if !b.Off {
		b.Asker.last.Swap(b.ask(ctx, q)).drop()
	}
}

// ask starts asking the team; nil if it isn't asked. A team that was unreachable just now is asked only if it alone is
// to answer.
func (b *Both) ask(ctx context.Context, q index.Query) *pending {
	m, err := team.MembershipOf(b.Library.Dir())
	if err != nil || !b.Only && Lately(m) {
		return nil
	}
	wait := b.Wait
	if b.Only {
		wait = answerWait
	}
	ctx, cancel := context.WithCancel(ctx)
	w := &pending{q.Text, q.Project, make(chan teamAnswer), cancel}
	if known, err := b.Library.Project(q.Project); err == nil && known.Remote != "" {
		q.Project = known.Remote
	}
	go func() {
		var got teamAnswer
		got.err = within(ctx, m, wait, func(ctx context.Context, there func()) (err error) {
			if got.t, err = team.Open(ctx, m.Address, there); err != nil {
				return err
			}
			if got.all, err = got.t.Candidates(ctx, q); err != nil {
				got.t.Close()
			}
			return err
		})
		if got.err == nil {
			team.Receive(got.all)
		}
		select {
		case w.found <- got:
		case <-ctx.Done():
			if got.err == nil {
				got.t.Close()
			}
		}
	}()
	return w
}

// drop abandons a question.
func (w *pending) drop() {
	if w != nil {
		w.cancel()
	}
}

// answer waits for the team's answer.
func (w *pending) answer(ctx context.Context) (teamAnswer, error) {
	defer w.cancel()
	select {
	case got := <-w.found:
		return got, got.err
	case <-ctx.Done():
		return teamAnswer{}, ctx.Err()
	}
}

// Search answers from both in one ranking.
func (b *Both) Search(ctx context.Context, q index.Query) (index.Answer, error) {
	var w *pending
	if !b.Off {
		if w = b.Asker.last.Swap(nil); w == nil || w.text != q.Text || w.project != q.Project {
			w.drop()
			w = b.ask(ctx, q)
		}
	}
	if b.Only {
		return only(ctx, w)
	}
	var got teamAnswer
	err := team.ErrUnreachable // if w is nil: a moment ago
	switch _, none := team.MembershipOf(b.Library.Dir()); {
	case w != nil:
		got, err = w.answer(ctx)
	case none != nil || b.Off:
		return b.Index.Search(ctx, q)
	}
	if err != nil {
		found, failed := b.Index.Search(ctx, q)
		found.Unasked = txt.Clip(escape.Line(err.Error(), escape.Terminal), 160)
		if errors.Is(err, errLate) {
			found.Unasked += "; " + hint.Of(err)
		}
		return found, failed
	}
	defer got.t.Close()
	got.all.Without(got.t.Member.Name, func(session string) bool { // by session, since two machines may share a name
		_, err := b.Library.Session(ingest.SessionID(session))
		return err == nil
	})
	q.Elsewhere = got.all
	found, err := b.Index.Search(ctx, q)
	if err == nil {
		team.Tie(found.Ranked, got.all.Items)
	}
	return found, err
}

// only answers from the team alone.
func only(ctx context.Context, w *pending) (index.Answer, error) {
	if w == nil {
		return index.Answer{}, team.ErrNoMembership
	}
	got, err := w.answer(ctx)
	if err != nil {
		return index.Answer{}, err
	}
	defer got.t.Close()
	found := got.all.Asked.Rank(*got.all)
	found.SearchedItems, found.SearchedElsewhere = 0, found.SearchedItems
	team.Tie(found.Ranked, got.all.Items)
	return found, nil
}
