package app

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"

	"recall/answer"
	"recall/cmd/recall/config"
	"recall/cmd/recall/terminal"
	"recall/index"
	"recall/library"
)

// Served opens the library again for each call of a server: while the server runs, the library might be created, moved,
// repaired or reindexed.
type Served struct {
	app    *App
	config sync.Mutex // guards app.Config while it is loaded
	taking sync.Mutex // held while a call syncs

	vectors atomic.Pointer[index.Vectors] // what a call has read of them, for the next one

	Kept *library.Library // shared by calls that don't sync; nil: each opens its own
}

// Served returns a Served for this run.
func (a *App) Served() *Served { return &Served{app: a} }

// Call returns the app of one call, with the server's configuration. Its output is discarded: stdout carries the
// protocol.
func (m *Served) Call() (*App, error) {
	c, err := m.Configured()
	if err != nil {
		return nil, err
	}
	return &App{Console: terminal.Console{In: m.app.In, Out: io.Discard, Err: m.app.Err},
		ConfigFile: m.app.ConfigFile, Flags: m.app.Flags, Config: c}, nil
}

// Configured returns the configuration, reading it again as long as it is broken.
func (m *Served) Configured() (*config.Config, error) {
	m.config.Lock()
	defer m.config.Unlock()
	return m.app.LoadConfig()
}

// Open opens the library for one call, which must close it: with the index if ask is set, and synced first if fresh is
// set. behind is what isn't indexed yet.
func (m *Served) Open(ctx context.Context, ask, fresh bool) (b *App, behind answer.Behind, err error) {
	if b, err = m.Call(); err != nil {
		return nil, behind, err
	}
	if m.Kept != nil && !fresh { // a sync changes the library's lock timeout
		b.Lib, b.shared = m.Kept, true
	}
	defer func() {
		if err != nil {
			b.Close()
		}
	}()
	if _, err = b.Library(ctx); err != nil {
		return b, behind, err
	}
	ctx = context.WithoutCancel(ctx) // whoever leaves meanwhile leaves no empty index behind
	if fresh && m.taking.TryLock() { // else another call is syncing
		behind, err = b.SyncNew(ctx)
		m.taking.Unlock()
	}
	if err == nil && ask {
		behind, err = m.indexed(ctx, b, behind)
	}
	if err == nil && behind.Any() {
		b.SyncRest()
	}
	return b, behind, err
}

// indexed opens the index for searching. A missing or unusable one is started within query.budget; the rest is built in
// the background.
func (m *Served) indexed(ctx context.Context, b *App, behind answer.Behind) (answer.Behind, error) {
	err := b.ReadIndex()
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, index.ErrRebuild) {
		m.taking.Lock()
		if behind, err = b.SyncNew(ctx); err == nil && b.Index == nil {
			err = b.EnsureIndex(ctx) // nothing was synced: build it from the library
		}
		m.taking.Unlock()
	}
	if err == nil {
		b.vectors = m.vectors.Load()
		b.UseVectors()
		m.vectors.Store(b.vectors)
	}
	return behind, err
}
