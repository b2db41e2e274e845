// Package ask asks the team that a library is in beside the library's own index, and has both answer by one ranking.
package ask

import (
	"context"
	"errors"
	"sync"
	"time"

	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/sink"
	"recall/team"
	txt "recall/text"
)

// How long a question waits for the team. One that isn't there costs connects at most, and then nothing for Forgiven.
// One far away that was there lately is waited for somewhat longer than it took then; one by a socket as long as one
// far away, as that says at once when nobody is there.
const (
	connects = 25 * time.Millisecond // for somebody to be there, beside what was done since it was begun
	farAway  = 300 * time.Millisecond
	answers  = 1500 * time.Millisecond // for the answer then
	lately   = 10 * time.Minute
	Forgiven = time.Minute
)

// An Asker asks the team one question after the other. The zero Asker is ready.
type Asker struct {
	mates sync.Mutex
	mate  *mate // what was asked last, and isn't fetched yet
}

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

// Begin begins to ask the team a question: what is done meanwhile costs no time. One that was out of reach just now is
// asked only where it alone answers.
func (a *Asker) Begin(ctx context.Context, l *library.Library, q index.Query, only bool) {
	m, err := team.MembershipOf(l.Dir())
	if err != nil || !only && m.Unreached(Forgiven) {
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
func (a *Asker) mateOf(ctx context.Context, l *library.Library, q index.Query, only bool) (w *mate) {
	take := func() {
		a.mates.Lock()
		w, a.mate = a.mate, nil
		a.mates.Unlock()
	}
	if take(); w == nil || w.text != q.Text || w.project != q.Project {
		w.drop()
		a.Begin(ctx, l, q, only)
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
			late.Reset(answers)
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

// Both is the index of a library with its team's memory beside it. It is an answer.Index.
type Both struct {
	Asker   *Asker
	Library *library.Library
	Index   *index.Index
	Off     bool   // the team isn't asked
	Only    bool   // nothing else is
	Why     string // why an answer is without the team's memory; "" if it isn't, or there is none
}

// Search answers from both by one ranking.
func (b *Both) Search(ctx context.Context, q index.Query) (index.Answer, error) {
	var w *mate
	if !b.Off {
		w = b.Asker.mateOf(ctx, b.Library, q, b.Only)
	}
	if b.Only {
		return only(ctx, w)
	}
	var got mateFound
	err := team.ErrUnreachable // a moment ago
	switch _, none := team.MembershipOf(b.Library.Dir()); {
	case w != nil:
		defer w.cancel()
		wait := max(connects, min(w.m.Reached(lately)*3/2, farAway))
		if team.BySocket(w.m.Address) {
			wait = farAway
		}
		got, err = w.answer(ctx, wait)
	case none != nil || b.Off:
		return b.Index.Search(ctx, q)
	}
	if err != nil {
		b.Why = "this answer is without what your team shares: " + txt.Clip(sink.Line(err.Error(), sink.Terminal), 160)
		return b.Index.Search(ctx, q)
	}
	defer got.t.Close()
	got.all.Without(got.t.Member.Name, func(session string) bool { // two machines may have one name
		_, err := b.Library.Session(ingest.SessionID(session))
		return err == nil
	})
	q.Elsewhere = got.all
	found, err := b.Index.Search(ctx, q)
	if err == nil {
		got.t.Tie(ctx, found.Ranked)
	}
	return found, err
}

// only answers from the team alone.
func only(ctx context.Context, w *mate) (index.Answer, error) {
	if w == nil {
		return index.Answer{}, team.ErrNoMembership
	}
	defer w.cancel()
	got, err := w.answer(ctx, answers)
	if err != nil {
		return index.Answer{}, err
	}
	defer got.t.Close()
	found := got.all.Asked.Rank(*got.all)
	found.SearchedItems, found.SearchedElsewhere = 0, found.SearchedItems
	got.t.Tie(ctx, found.Ranked)
	return found, nil
}
