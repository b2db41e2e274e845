// Package merge unites two libraries, makes backups of one, and imports them again.
package merge

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"recall/ingest"
	"recall/library"
	"recall/library/raw"
)

// Two libraries are united session by session. What both hold is merged: every version of every file, edits, notes,
// links, threads, projects, tombstones. The result is the same in any order, and when repeated.

// Options say what to do if the two differ.
type Options struct {
	// Follow makes this library a copy of the other: a session's folder is taken from there unchanged if nothing is
	// lost by that.
	Follow bool
	// Forget removes sessions that were forgotten in the other library; otherwise they stay and are reported.
	Forget   bool
	Progress func(done, total int) // called from one goroutine at a time; may be nil
}

// Merged says what Merge did.
type Merged struct {
	Sessions int                `json:"sessions"` // in the other library
	New      int                `json:"new"`      // those that weren't here
	Changed  int                `json:"changed"`  // those that gained something
	Files    int                `json:"files"`    // copied, each read back and compared by its hash
	Bytes    int64              `json:"bytes"`    // of those
	Gone     []ingest.SessionID `json:"forgotten"`
	Kept     []ingest.SessionID `json:"kept"` // forgotten there, still here
	Problems []ingest.Problem   `json:"problems"`
}

var (
	// ErrOther means that the folder holds another library.
	ErrOther = errors.New("it holds another library")
	// ErrInside means that one of two libraries is inside the other.
	ErrInside = errors.New("one is inside the other")
	// ErrSuspect means that recall didn't make the library, or that it was tampered with.
	ErrSuspect = errors.New("refused")
)

// Merge adds all that another library holds. What can't be read there is a Problem and doesn't affect the rest.
// Repeating it finishes an interrupted run.
func Merge(ctx context.Context, l, from *library.Library, o Options) (Merged, error) {
	m := &merging{l: l, from: from, options: o}
	err := m.run(ctx)
	if err != nil {
		err = fmt.Errorf("merge %s: %w", from.Dir(), err)
	}
	return m.done, err
}

// merging is one call of Merge in progress.
type merging struct {
	l, from *library.Library
	options Options

	mu     sync.Mutex // guards what follows
	done   Merged
	looked int // number of sessions looked at
}

func (m *merging) run(ctx context.Context) error {
	if err := errors.Join(m.l.ReadOnly(), m.from.ReadOnly()); err != nil {
		return err
	}
	entries, err := m.from.AllEntries()
	if err != nil {
		return err
	}
	m.done.Sessions = sessions(entries)
	if err := m.tombstones(); err != nil { // first, because forgetting drops projects without sessions
		return err
	}
	if err := m.projects(); err != nil {
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
			m.count(func(d *Merged) {
				if m.looked++; m.options.Progress != nil {
					m.options.Progress(m.looked, d.Sessions)
				}
			})
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for _, b := range m.from.Broken() { // what a backup has of their sessions stays
		m.problem(b.Path, fmt.Errorf("%w; not copied: run recall check --repair on that library, then again", b.Err))
	}
	return errors.Join(m.l.Settle(), m.logs(), m.others(), m.emptyProjects())
}

// emptyProjects drops projects all of whose sessions were forgotten, on either side.
func (m *merging) emptyProjects() error {
	if ids, err := m.l.Tombstones(); err != nil || len(ids) == 0 {
		return err
	}
	return errors.Join(m.l.DropProjects(), m.l.Settle())
}

func (m *merging) problem(path string, err error) {
	m.count(func(d *Merged) { d.Problems = append(d.Problems, ingest.Problem{Path: path, Err: err}) })
}

func (m *merging) count(change func(*Merged)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(&m.done)
}

// session merges one session. A fault of the other library is a Problem.
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
			m.problem(m.from.Dir()+": session "+string(id), bad)
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
	for _, s := range src.Versions.Stored() {
		if name := "raw/" + s.String(); src.Size[name] == 0 {
			m.problem(filepath.Join(src.Entry.Folder, filepath.FromSlash(name)),
				errors.New("it is gone there; recall check says more"))
		}
	}
	if _, err := m.l.Session(id); errors.Is(err, library.ErrNoSession) {
		return m.adopt(ctx, src)
	}
	dst, err := m.l.View(id)
	if err != nil {
		return err
	}
	if dst.Same(src) {
		return nil
	}
	switch {
	case m.options.Follow && src.Covers(dst):
		err = m.follow(ctx, src, dst)
	case dst.Covers(src):
		return nil
	default:
		err = m.mergeBoth(ctx, src, dst)
	}
	if err == nil {
		m.count(func(d *Merged) { d.Changed += sessions([]library.Entry{src.Entry}) })
	}
	return err
}

// sessions counts the entries that are sessions, not a client's own memory.
func sessions(entries []library.Entry) (n int) {
	for _, e := range entries {
		if !e.Source.IsMemory() {
			n++
		}
	}
	return n
}

// plausible rejects what recall can't have written: segments so strongly compressed that they must be decompression
// bombs.
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

// mostPacked is a higher compression ratio than any transcript reaches.
const mostPacked = 20_000
