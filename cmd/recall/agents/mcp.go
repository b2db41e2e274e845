package agents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/config"
	"recall/hint"
	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/mcpserver"
	"recall/payload"
	"recall/redact"
)

func newMcpCmd(a *app.App) *cobra.Command {
	cmd := option.Do("mcp", nil, func(ctx context.Context, _ []string) error { return ServeMCP(ctx, a) })
	cmd.AddCommand(newMcpInstallCmd(a), newMcpUninstallCmd(a), newMcpStatusCmd(a))
	return cmd
}

func ServeMCP(ctx context.Context, a *app.App) error {
	if f, ok := a.In.(*os.File); ok && terminal.IsTerminal(f) {
		fmt.Fprintln(a.Err, "recall: this is for an MCP client to start, and waits for one now; recall mcp install "+
			"enters it into yours. Ctrl-C ends it")
	}
	m := &memory{app: a}
	rules := sync.OnceValue(redact.New)
	s := mcpserver.New(mcpserver.Options{
		Version: app.VersionText(),
		Session: ingest.SessionID(os.Getenv(app.EnvSession)),
		Budget:  m.budget(),
		Open:    m.open,
		Library: func(ctx context.Context) (*library.Library, error) {
			b, err := m.call()
			if err != nil {
				return nil, err
			}
			return b.Library(ctx)
		},
		Clean:   func(text string) string { return rules().Session().Text(text) },
		Compose: a.Compose,
		Here:    func(l *library.Library) (string, error) { return a.Only(l, "", false) },
		When:    func(text string) (time.Time, error) { return terminal.ParseWhen(text, time.Now(), time.Local) },
		Day:     func(text string) (time.Time, error) { return terminal.ParseDay(text, time.Now(), time.Local) },
		Hint:    hint.Of,
		Log:     slog.New(slog.NewTextHandler(a.Err, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	err := s.Run(ctx, a.In, struct{ io.Writer }{terminal.Own(a.Out)}) // which stays open
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return nil // told to end
	}
	return err
}

// memory opens the library anew for each call: it may be made, moved, repaired or
// given a new index while the server runs.
type memory struct {
	app    *app.App
	config sync.Mutex // guards app.cfg while it is loaded
	taking sync.Mutex // held while a call takes in what is new
}

// call is an app of one call, with the server's configuration and streams. What
// would be printed has no place on the protocol's stream.
func (m *memory) call() (*app.App, error) {
	c, err := m.configured()
	if err != nil {
		return nil, err
	}
	return &app.App{In: m.app.In, Out: io.Discard, Err: m.app.Err, ConfigFile: m.app.ConfigFile, Config: c}, nil
}

// budget is a payload's, in tokens. A configuration that is broken is told at
// each call: a server that doesn't start tells nobody.
func (m *memory) budget() int {
	if c, err := m.configured(); err == nil {
		return c.Payload.Budget
	}
	return payload.DefaultBudget
}

// configured is the configuration; one that was broken is read again.
func (m *memory) configured() (*config.Config, error) {
	m.config.Lock()
	defer m.config.Unlock()
	return m.app.LoadConfig()
}

func (m *memory) open(ctx context.Context, need mcpserver.Need) (*mcpserver.Memory, error) {
	b, err := m.call()
	if err != nil {
		return nil, err
	}
	opened := false
	defer func() {
		if !opened {
			b.Close()
		}
	}()
	l, err := b.Library(ctx)
	if err != nil {
		return nil, err
	}
	left := 0
	if need == mcpserver.Fresh && m.taking.TryLock() { // else another call is at it
		left, err = b.Fresh(ctx, l)
		m.taking.Unlock()
	}
	if err == nil && need >= mcpserver.Ask {
		left, err = m.indexed(ctx, b, l, left)
	}
	if err != nil {
		return nil, err
	}
	if left > 0 {
		b.TakeInRest(l)
	}
	p := b.Pipeline(l)
	opened = true
	return &mcpserver.Memory{Library: l, Index: b.Index, Pipeline: p, SecondLook: b.AgentsLook(ctx, l), Left: left,
		Close: b.Close}, nil
}

// indexed opens the index with what searches use. One that isn't there, or that
// this recall can't use, is begun within the time that a question may wait; the
// rest is made behind. left is how many sessions it lacks.
func (m *memory) indexed(ctx context.Context, b *app.App, l *library.Library, left int) (int, error) {
	err := b.ReadIndex(l)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, index.ErrRebuild) {
		m.taking.Lock()
		if left, err = b.Fresh(ctx, l); err == nil && b.Index == nil {
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
	return left, err
}
