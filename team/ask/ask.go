// Package ask queries a library's team in parallel with the library's own index, and ranks both together.
package ask

import (
	"context"
	"errors"
	"fmt"
	"sync"
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
func Open(ctx context.Context, m *team.Membership, wait time.Duration) (*team.Team, error) {
	opening, cancel := context.WithCancel(ctx)
	defer cancel()
	late := time.AfterFunc(wait, cancel)
	defer late.Stop()
	t, err := team.Open(opening, m.Address, func() { late.Reset(answerWait) })
	if err != nil && opening.Err() != nil && ctx.Err() == nil {
		err = errLate
	}
	m.NoteReached(!errors.Is(err, team.ErrUnreachable))
	return t, err
}

// errLate is the error for a server that didn't respond in time.
var errLate = hint.With(fmt.Errorf("%w: it didn't answer in time", team.ErrUnreachable),
	"team.wait in config.yaml makes questions wait longer for it")

// Asker sends questions to the team, one after the other. Its zero value is ready for use.
type Asker struct {
	mu      sync.Mutex
	pending *pending // the last question, if its answer hasn't been fetched yet
}

// pending is a question to the team, running in the background.
type pending struct {
	text, project string
	m             *team.Membership
	there         chan struct{} // closed at the server's first response
	found         chan teamAnswer
	cancel        context.CancelFunc
}

type teamAnswer struct {
	t   *team.Team
	all *index.ForeignResults
	err error
}

// Begin starts asking the team a question in the background. A team that was unreachable just now is asked only
// if it alone is to answer.
func (a *Asker) Begin(ctx context.Context, l *library.Library, q index.Query, only bool) {
	m, err := team.MembershipOf(l.Dir())
	if err != nil || !only && Lately(m) {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	w := &pending{text: q.Text, project: q.Project, m: m, there: make(chan struct{}), found: make(chan teamAnswer, 1),
		cancel: cancel}
	if known, err := l.Project(q.Project); err == nil && known.Remote != "" {
		q.Project = known.Remote
	}
	go func() {
		var got teamAnswer
		if got.t, got.err = team.Open(ctx, m.Address, func() { close(w.there) }); got.err == nil {
			if got.all, got.err = got.t.Candidates(ctx, q); got.err != nil || ctx.Err() != nil {
				got.t.Close()
			} else {
				team.Receive(got.all)
			}
		}
		w.found <- got
	}()
	a.mu.Lock()
	other := a.pending
	a.pending = w
	a.mu.Unlock()
	other.drop()
}

// pendingFor returns the running question, starting it if needed; nil if the team isn't asked.
func (a *Asker) pendingFor(ctx context.Context, l *library.Library, q index.Query, only bool) (w *pending) {
	take := func() {
		a.mu.Lock()
		w, a.pending = a.pending, nil
		a.mu.Unlock()
	}
	if take(); w == nil || w.text != q.Text || w.project != q.Project {
		w.drop()
		a.Begin(ctx, l, q, only)
		take()
	}
	return w
}

// drop abandons a question.
func (w *pending) drop() {
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

// answer waits for the team's answer; the caller closes the team.
func (w *pending) answer(ctx context.Context, wait time.Duration) (teamAnswer, error) {
	late := time.NewTimer(wait)
	defer late.Stop()
	there := w.there
	for {
		select {
		case got := <-w.found:
			w.m.NoteReached(!errors.Is(got.err, team.ErrUnreachable))
			return got, got.err
		case <-there:
			there = nil
			late.Reset(answerWait)
		case <-late.C:
			w.m.NoteReached(false)
			w.drop()
			return teamAnswer{}, errLate
		case <-ctx.Done():
			w.drop()
			return teamAnswer{}, ctx.Err()
		}
	}
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

// Search answers from both in one ranking.
func (b *Both) Search(ctx context.Context, q index.Query) (index.Answer, error) {
	var w *pending
	if !b.Off {
		w = b.Asker.pendingFor(ctx, b.Library, q, b.Only)
	}
	if b.Only {
		return only(ctx, w)
	}
	var got teamAnswer
	err := team.ErrUnreachable // if w is nil: a moment ago
	switch _, none := team.MembershipOf(b.Library.Dir()); {
	case w != nil:
		defer w.cancel()
		got, err = w.answer(ctx, b.Wait)
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
	defer w.cancel()
	got, err := w.answer(ctx, answerWait)
	if err != nil {
		return index.Answer{}, err
	}
	defer got.t.Close()
	found := got.all.Asked.Rank(*got.all)
	found.SearchedItems, found.SearchedElsewhere = 0, found.SearchedItems
	team.Tie(found.Ranked, got.all.Items)
	return found, nil
}
