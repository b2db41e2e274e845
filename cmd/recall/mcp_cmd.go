package main

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

	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/mcpserver"
	"recall/payload"
	"recall/redact"
)

// envSession is where Claude Code tells its MCP servers which session it runs.
const envSession = "CLAUDE_CODE_SESSION_ID"

func (a *app) mcpCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "mcp",
		Short:   "Give an agent this memory over MCP (started by the client)",
		GroupID: "ask",
		Long: `Serves the Model Context Protocol on standard input and output, for one client,
until the client goes away. The agent can ask what was decided, check a plan
against it, get the payload, read parts of a transcript, read a session's state
back, and note decisions while it works. Only redacted text is given out.

A client starts it by itself: recall mcp install enters it into Claude Code's and
Claude Desktop's configuration.`,
		Example: `  recall mcp install --claude-code
  recall mcp status
  claude mcp add --scope user recall -- recall mcp`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.serveMCP(cmd.Context()) },
	}
	cmd.AddCommand(a.mcpInstallCmd(), a.mcpUninstallCmd(), a.mcpStatusCmd())
	return cmd
}

func (a *app) serveMCP(ctx context.Context) error {
	if f, ok := a.in.(*os.File); ok && isTerminal(f) {
		fmt.Fprintln(a.err, "recall: this is for an MCP client to start, and waits for one now; recall mcp install enters it into yours. Ctrl-C ends it")
	}
	m := &memory{app: a}
	rules := sync.OnceValues(redact.New)
	s := mcpserver.New(mcpserver.Options{
		Version: versionText(),
		Session: ingest.SessionID(os.Getenv(envSession)),
		Budget:  m.budget(),
		Open:    m.open,
		Library: func(ctx context.Context) (*library.Library, error) {
			b, err := m.call()
			if err != nil {
				return nil, err
			}
			return b.library(ctx)
		},
		Clean: func(text string) (string, error) {
			r, err := rules()
			if err != nil {
				return "", err
			}
			return r.Session().Text(text), nil
		},
		Compose: func(l *library.Library, project string) (*payload.Payload, error) {
			var args []string
			if project != "" {
				args = []string{project}
			}
			return a.compose(l, args)
		},
		Here: func(l *library.Library) (string, error) { return a.only(l, "", false) },
		When: func(text string) (time.Time, error) { return parseWhen(text, time.Now(), time.Local) },
		Day:  func(text string) (time.Time, error) { return parseDay(text, time.Now(), time.Local) },
		Hint: hintOf,
		Log:  slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	err := s.Run(ctx, closing(a.in), nopCloser{own(a.out)})
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return nil // told to end
	}
	return err
}

// closing gives a stream that can't be closed a Close.
func closing(r io.Reader) io.ReadCloser {
	if c, ok := r.(io.ReadCloser); ok {
		return c
	}
	return io.NopCloser(r)
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// memory opens the library anew for each call: it may be made, moved, repaired or
// given a new index while the server runs.
type memory struct {
	app    *app
	config sync.Mutex // guards app.cfg while it is loaded
	taking sync.Mutex // held while a call takes in what is new
}

// call is an app of one call, with the server's configuration and streams. What
// would be printed has no place on the protocol's stream.
func (m *memory) call() (*app, error) {
	c, err := m.configured()
	if err != nil {
		return nil, err
	}
	return &app{in: m.app.in, out: io.Discard, err: m.app.err, configFile: m.app.configFile, cfg: c}, nil
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
func (m *memory) configured() (*Config, error) {
	m.config.Lock()
	defer m.config.Unlock()
	return m.app.config()
}

func (m *memory) open(ctx context.Context, need mcpserver.Need) (*mcpserver.Memory, error) {
	b, err := m.call()
	if err != nil {
		return nil, err
	}
	opened := false
	defer func() {
		if !opened {
			b.close()
		}
	}()
	l, err := b.library(ctx)
	if err != nil {
		return nil, err
	}
	left := 0
	if need == mcpserver.Fresh && m.taking.TryLock() { // else another call is at it
		left, err = b.fresh(ctx, l)
		m.taking.Unlock()
	}
	if err == nil && need >= mcpserver.Ask {
		left, err = m.indexed(ctx, b, l, left)
	}
	if err != nil {
		return nil, err
	}
	if left > 0 {
		b.takeInRest(l)
	}
	p, err := b.pipeline(l)
	if err != nil {
		return nil, err
	}
	opened = true
	return &mcpserver.Memory{Library: l, Index: b.ix, Pipeline: p, SecondLook: b.agentsLook(ctx, l), Left: left, Close: b.close}, nil
}

// indexed opens the index with what searches use. One that isn't there, or that
// this recall can't use, is begun within the time that a question may wait; the
// rest is made behind. left is how many sessions it lacks.
func (m *memory) indexed(ctx context.Context, b *app, l *library.Library, left int) (int, error) {
	err := b.readIndex(l)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, index.ErrRebuild) {
		m.taking.Lock()
		if left, err = b.fresh(ctx, l); err == nil && b.ix == nil {
			err = b.indexed(ctx, l) // nothing is to be taken in: the library alone makes it
		}
		m.taking.Unlock()
	}
	if err == nil {
		err = b.useVectors(ctx)
	}
	if err == nil {
		err = b.useLexicon()
	}
	return left, err
}
