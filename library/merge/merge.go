// Package merge brings two libraries together, makes backups of one, and takes them in again.
package merge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"recall/ingest"
	"recall/library"
	"recall/library/disk"
	"recall/library/raw"
)

// Two libraries are brought together session by session. What both hold is united: every version of every file, edits,
// notes, links, threads, projects, tombstones. Of a session that one side has all of, the other takes the folder as it
// is; only where each has something of its own is anything stored anew. In any order, and done again, the outcome is
// the same.

// Options say what to do where the two aren't equal.
type Options struct {
	// Follow makes this library a copy of the other: what was made of a session is taken from there if nothing is lost
	// by it.
	Follow bool
	// Forget removes sessions that were forgotten in the other; else they stay and are told of.
	Forget   bool
	Progress func(done, total int) // called from one goroutine at a time; nil for silence
}

// Merged is what Merge did.
type Merged struct {
	Sessions int                `json:"sessions"` // in the other library
	New      int                `json:"new"`      // that weren't here
	Changed  int                `json:"changed"`  // that have got something
	Files    int                `json:"files"`    // copied, each read again and compared by its hash
	Bytes    int64              `json:"bytes"`    // of those
	Gone     []ingest.SessionID `json:"forgotten"`
	Kept     []ingest.SessionID `json:"kept"` // forgotten there, still here
	Problems []ingest.Problem   `json:"problems"`
}

var (
	// ErrOther: the folder holds another library.
	ErrOther = errors.New("it holds another library")
	// ErrInside: one of two libraries lies in the other.
	ErrInside = errors.New("one lies inside the other")
	// ErrSuspect: a library that wasn't made by recall, or was tampered with.
	ErrSuspect = errors.New("refused")
)

// Merge takes in all that another library holds. What can't be read there is a Problem and costs nothing else. Cut off,
// it is finished by doing it again.
func Merge(ctx context.Context, l, from *library.Library, o Options) (Merged, error) {
	m := &merging{l: l.Inside(), from: from.Inside(), options: o, came: map[disk.Sums]string{}}
	err := m.run(ctx)
	if err != nil {
		err = fmt.Errorf("merge %s: %w", from.Dir(), err)
	}
	return m.done, err
}

// merging is one call of Merge under way.
type merging struct {
	l, from library.Inside
	options Options

	mu     sync.Mutex // guards what follows
	done   Merged
	looked int                  // at so many sessions
	came   map[disk.Sums]string // large segments, each under a second name
}

func (m *merging) run(ctx context.Context) error {
	if err := errors.Join(m.l.ReadOnly(), m.from.ReadOnly()); err != nil {
		return err
	}
	if err := m.l.Upgrade(); err != nil {
		return err
	}
	entries, err := m.from.Shelved()
	if err != nil {
		return err
	}
	m.done.Sessions = sessions(entries)
	if err := m.tombstones(); err != nil { // first: forgetting drops projects without sessions
		return err
	}
	if err := m.forgotten(); err != nil {
		return err
	}
	if err := m.projects(); err != nil {
		return err
	}
	if err := m.healed(ctx); err != nil {
		return err
	}
	g, together := errgroup.WithContext(ctx)
	g.SetLimit(max(2, runtime.GOMAXPROCS(0)))
	for _, e := range entries {
		g.Go(func() error {
			ctx := together
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := m.session(ctx, e.ID); err != nil {
				return fmt.Errorf("session %s: %w", e.ID, err)
			}
			m.progress()
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return errors.Join(m.broken(ctx), m.l.Settle(), m.logs(), m.others(), m.emptyProjects())
}

// emptyProjects drops the projects all of whose sessions were forgotten, on whichever side.
func (m *merging) emptyProjects() error {
	if ids, err := m.l.Tombstones(); err != nil || len(ids) == 0 {
		return err
	}
	return errors.Join(m.l.DropProjects(), m.l.Settle())
}

func (m *merging) problem(path, reason string) {
	m.count(func(d *Merged) { d.Problems = append(d.Problems, ingest.Problem{Path: path, Reason: reason}) })
}

func (m *merging) progress() {
	m.count(func(d *Merged) {
		m.looked++
		if m.options.Progress != nil {
			m.options.Progress(m.looked, d.Sessions)
		}
	})
}

func (m *merging) count(change func(*Merged)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(&m.done)
}

// session brings one session over. A fault of the other library is a Problem.
func (m *merging) session(ctx context.Context, id ingest.SessionID) error {
	if gone, err := m.l.Forgotten(id); err != nil || gone {
		return err
	}
	for try := 0; ; try++ {
		err := m.sessionOnce(ctx, id)
		var bad raw.SourceError
		switch {
		case errors.Is(err, library.ErrStale) && try < 5:
			m.l.Reload()
			continue
		case errors.Is(err, library.ErrMoved) && try < 5:
			m.from.Reload()
			continue
		case errors.As(err, &bad) && ctx.Err() == nil:
			m.problem(m.from.Dir()+": session "+string(id), bad.Error())
			return nil
		}
		return err
	}
}

func (m *merging) sessionOnce(ctx context.Context, id ingest.SessionID) error {
	src, err := m.from.View(id)
	if err != nil {
		return raw.AtSource(err)
	}
	if err := plausible(src); err != nil {
		return raw.AtSource(err)
	}
	if err := m.l.WithoutForgotten(src); err != nil {
		return err
	}
	if _, err := m.l.Session(id); errors.Is(err, library.ErrNoSession) {
		return cmp.Or(m.adopt(ctx, src), m.dropForgotten(id))
	}
	if err := m.dropForgotten(id); err != nil { // what only it has must not keep it from being followed
		return err
	}
	dst, err := m.l.View(id)
	if err != nil {
		return err
	}
	if dst.Same(src) {
		return nil
	}
	mine, theirs := dst.Covers(src), src.Covers(dst)
	switch {
	case theirs && (m.options.Follow || !mine):
		err = m.follow(ctx, src, dst)
	case mine:
		return nil
	default:
		err = m.blend(ctx, src, dst)
	}
	if err == nil {
		m.count(func(d *Merged) { d.Changed += sessions([]library.Entry{src.Entry}) })
		err = m.dropForgotten(id)
	}
	return err
}

// sessions counts them; a client's own memory is none.
func sessions(entries []library.Entry) (n int) {
	for _, e := range entries {
		if e.Source != ingest.Memory {
			n++
		}
	}
	return n
}

// plausible refuses what no recall has written: bytes packed so small that unpacking them is meant to hurt.
func plausible(s *library.Folder) error {
	for name := range s.Size {
		seg, err := raw.ParseSegment(strings.TrimPrefix(name, "raw/"))
		if strings.HasPrefix(name, "raw/") && err != nil {
			return fmt.Errorf("%s: %w: %v", name, ErrSuspect, err)
		}
		if strings.HasPrefix(name, "raw/") && seg.Length > 64<<20 && seg.Length/(s.Size[name]+1) > mostPacked {
			return fmt.Errorf("%s: %w: %d bytes that unpack to %d", name, ErrSuspect, s.Size[name], seg.Length)
		}
	}
	return nil
}

// mostPacked is more than anything in a transcript gets smaller by.
const mostPacked = 20_000
