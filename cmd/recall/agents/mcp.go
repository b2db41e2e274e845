package agents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/ingest"
	"recall/library"
	"recall/payload"
	"recall/pipeline/worklog"
	"recall/serve/mcp"
)

func newMcpCmd(a *app.App) *cobra.Command {
	return option.Do("mcp", nil, func(ctx context.Context, _ []string) error { return ServeMCP(ctx, a) })
}

// ServeMCP serves one MCP client on standard input and output.
func ServeMCP(ctx context.Context, a *app.App) error {
	if f, ok := a.In.(*os.File); ok && terminal.IsTerminal(f) {
		fmt.Fprintln(a.Err, "recall: an MCP client should start this; it is waiting for one now. recall setup adds "+
			"it to yours. Ctrl-C stops it")
	}
	m := a.Served()
	s := mcp.New(mcp.Options{
		Version: app.VersionText(),
		Session: ingest.SessionID(os.Getenv(app.EnvSession)),
		Open: func(ctx context.Context, need mcp.Need) (*mcp.Memory, error) {
			b, behind, err := m.Open(ctx, need >= mcp.Ask, need == mcp.Fresh)
			if err != nil {
				return nil, err
			}
			return &mcp.Memory{Pipeline: b.Pipeline(), Search: b.Corrected(), Words: terminal.Agent{}, Behind: behind,
				Shared:     b.SharedSession,
				SecondLook: func() (*answer.SecondLook, string) { return b.AgentsLook(ctx) },
				Compose:    b.Compose,
				Here:       func() (string, error) { return b.ProjectFilter("", false) },
				Running:    b.Running,
				Close:      b.Close}, nil
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
			return pausing() || err != nil || b.Exclusion().Folder(dir) != ""
		},
		Noted: func(n payload.Note) {
			if dir, err := os.Getwd(); err == nil {
				a.WorkLogs().Add(dir, n.Session, worklog.Noted(n), time.Now())
			}
		},
		Log: slog.New(slog.NewTextHandler(a.Err, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	err := s.Run(ctx, a.In, struct{ io.Writer }{terminal.Own(a.Out)}) // hides Close: the output stays open
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return nil // stopped by a signal
	}
	return err
}
