package agents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/config"
	"recall/hint"
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
	m := a.Served()
	rules := sync.OnceValue(redact.New)
	s := mcpserver.New(mcpserver.Options{
		Version: app.VersionText(),
		Session: ingest.SessionID(os.Getenv(app.EnvSession)),
		Budget:  budget(m),
		Open: func(ctx context.Context, need mcpserver.Need) (*mcpserver.Memory, error) {
			b, behind, err := m.Open(ctx, need >= mcpserver.Ask, need == mcpserver.Fresh)
			if err != nil {
				return nil, err
			}
			l := b.Lib
			return &mcpserver.Memory{Library: l, Index: b.Index, Search: b.Both(l), Pipeline: b.Pipeline(l),
				SecondLook: b.AgentsLook(ctx, l), Behind: behind, Close: b.Close}, nil
		},
		Library: func(ctx context.Context) (*library.Library, error) {
			b, err := m.Call()
			if err != nil {
				return nil, err
			}
			return b.Library(ctx)
		},
		Excluded: func() bool {
			b, err := m.Call()
			dir, _ := os.Getwd()
			return config.Pausing() || err == nil && b.Excluded(dir) != ""
		},
		Clean:   func(text string) string { return rules().Session().Text(text) },
		Compose: a.Compose,
		Here:    func(l *library.Library) (string, error) { return a.Only(l, "", false) },
		Hint:    hint.Of,
		Log:     slog.New(slog.NewTextHandler(a.Err, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	err := s.Run(ctx, a.In, struct{ io.Writer }{terminal.Own(a.Out)}) // which stays open
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return nil // told to end
	}
	return err
}

// budget is a payload's, in tokens. A configuration that is broken is told at each call: a server that doesn't start
// tells nobody.
func budget(m *app.Served) int {
	if c, err := m.Configured(); err == nil {
		return c.Payload.Budget
	}
	return payload.DefaultBudget
}
