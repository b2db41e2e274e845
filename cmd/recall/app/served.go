package app

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"sync"

	"recall/answer"
	"recall/config"
	"recall/index"
	"recall/library"
)

// A Served opens the library anew for each call of a server: it may be made, moved, repaired or given a new index while
// the server runs.
type Served struct {
	app    *App
	config sync.Mutex // guards app.Config while it is loaded
	taking sync.Mutex // held while a call takes in what is new

	Kept *library.Library // what calls work in that take nothing in, rather than one of their own; nil: none
}

// Served is this run as a server has it.
func (a *App) Served() *Served { return &Served{app: a} }

// Call is an app of one call, with the server's configuration and streams. What would be printed has no place on a
// protocol's stream.
func (m *Served) Call() (*App, error) {
	c, err := m.Configured()
	if err != nil {
		return nil, err
	}
	return &App{In: m.app.In, Out: io.Discard, Err: m.app.Err, ConfigFile: m.app.ConfigFile, Flags: m.app.Flags,
		Config: c}, nil
}

// Configured is the configuration; one that was broken is read again.
func (m *Served) Configured() (*config.Config, error) {
	m.config.Lock()
	defer m.config.Unlock()
	return m.app.LoadConfig()
}

// Open opens the library for a call that is to close it again, the index too if something is asked of that, and takes
// in what is new if that is wanted; behind is what isn't taken in.
func (m *Served) Open(ctx context.Context, ask, fresh bool) (b *App, behind answer.Behind, err error) {
	if b, err = m.Call(); err != nil {
		return nil, behind, err
	}
	if m.Kept != nil && !fresh { // taking in has the library wait otherwise
		b.Lib, b.shared = m.Kept, true
	}
	defer func() {
		if err != nil {
			b.Close()
		}
	}()
	l, err := b.Library(ctx)
	if err != nil {
		return b, behind, err
	}
	if fresh && m.taking.TryLock() { // else another call is at it
		behind, err = b.TakeInNew(ctx, l)
		m.taking.Unlock()
	}
	if err == nil && ask {
		behind, err = m.indexed(ctx, b, l, behind)
	}
	if err == nil && behind.Any() {
		b.TakeInRest(l)
	}
	return b, behind, err
}

// indexed opens the index with what searches use. One that isn't there, or that
// this recall can't use, is begun within the time that a question may wait; the
// rest is made in the background.
func (m *Served) indexed(ctx context.Context, b *App, l *library.Library, behind answer.Behind) (answer.Behind,
	error) {
	err := b.ReadIndex(l)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, index.ErrRebuild) {
		m.taking.Lock()
		if behind, err = b.TakeInNew(ctx, l); err == nil && b.Index == nil {
			err = b.Indexed(ctx, l) // nothing is to be taken in: the library alone makes it
		}
		m.taking.Unlock()
	}
	if err == nil {
		err = b.UseVectors(ctx)
	}
	if err == nil {
		err = b.UseLexicon()
	}
	return behind, err
}
