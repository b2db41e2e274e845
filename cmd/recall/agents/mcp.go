package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/index"
	"recall/ingest"
	"recall/ingest/cowork"
	"recall/internal/hint"
	"recall/internal/redact"
	"recall/library"
	"recall/payload"
	"recall/serve/hooks"
	"recall/serve/mcp"
)

func newMcpCmd(a *app.App) *cobra.Command {
	cmd := option.Do("mcp", nil, func(ctx context.Context, _ []string) error { return ServeMCP(ctx, a) })
	cmd.AddCommand(newMcpInstallCmd(a), newMcpUninstallCmd(a), newMcpStatusCmd(a))
	return cmd
}

// on returns a run on a library that a call has open.
func on(a *app.App, l *library.Library) *app.App {
	b := a.Beside()
	b.Lib = l
	return b
}

// ServeMCP serves one MCP client on standard input and output.
func ServeMCP(ctx context.Context, a *app.App) error {
	if f, ok := a.In.(*os.File); ok && terminal.IsTerminal(f) {
		fmt.Fprintln(a.Err, "recall: an MCP client should start this; it is waiting for one now. recall mcp install "+
			"adds it to yours. Ctrl-C stops it")
	}
	m := a.Served()
	rules := sync.OnceValue(redact.New)
	s := mcp.New(mcp.Options{
		Version: app.VersionText(),
		Session: ingest.SessionID(os.Getenv(app.EnvSession)),
		Budget:  budget(m),
		Open: func(ctx context.Context, need mcp.Need) (*mcp.Memory, error) {
			b, behind, err := m.Open(ctx, need >= mcp.Ask, need == mcp.Fresh)
			if err != nil {
				return nil, err
			}
			l := b.Lib
			return &mcp.Memory{Library: l, Index: b.Index, Search: b.Both(), Pipeline: b.Pipeline(),
				Shared:     b.SharedSession,
				SecondLook: b.AgentsLook(ctx), Behind: behind, Close: b.Close}, nil
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
			return pausing() || err == nil && b.Exclusion().Now(dir, time.Now()) != ""
		},
		Clean: func(text string) string { return rules().Session().Text(text) },
		Compose: func(ctx context.Context, l *library.Library, x *index.Index, name string) (*payload.Payload, error) {
			return on(a, l).Compose(ctx, x, name)
		},
		Here: func(l *library.Library) (string, error) { return on(a, l).ProjectFilter("", false) },
		Hint: hint.Of,
		Log:  slog.New(slog.NewTextHandler(a.Err, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	err := s.Run(ctx, a.In, struct{ io.Writer }{terminal.Own(a.Out)}) // hides Close: the output stays open
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return nil // stopped by a signal
	}
	return err
}

// budget is the token budget of a payload. A broken configuration is reported at each call: a server that doesn't
// start reports nothing.
func budget(m *app.Served) int {
	if c, err := m.Configured(); err == nil {
		return c.Payload.Budget
	}
	return payload.DefaultBudget
}

type mcpFlags struct {
	hooks.Which
	DryRun bool
}

func newMcpInstallCmd(a *app.App) *cobra.Command {
	var f mcpFlags
	return option.Do("mcp-install", func(fs *option.Flags) {
		fs.BoolVar(&f.ClaudeCode, "claude-code", false, "only Claude Code, for all your projects")
		fs.BoolVar(&f.ClaudeDesktop, "claude-desktop", false, "only Claude Desktop, which includes Cowork")
		fs.BoolVarP(&f.DryRun, "dry-run", "n", false, "show what would change, and change nothing")
		fs.BoolVar(&f.Project, "project", false,
			"only Claude Code in this project, for everyone who works on it (.mcp.json)")
	}, func(context.Context, []string) error { return runMcpInstall(a, f) })
}

func newMcpUninstallCmd(a *app.App) *cobra.Command {
	var f mcpFlags
	return option.Do("mcp-uninstall", func(fs *option.Flags) {
		fs.BoolVar(&f.ClaudeCode, "claude-code", false, "only Claude Code, for all your projects")
		fs.BoolVar(&f.ClaudeDesktop, "claude-desktop", false, "only Claude Desktop, which includes Cowork")
		fs.BoolVarP(&f.DryRun, "dry-run", "n", false, "show what would change, and change nothing")
		fs.BoolVar(&f.Project, "project", false,
			"only Claude Code in this project, for everyone who works on it (.mcp.json)")
	}, func(context.Context, []string) error {
		clients, err := hooks.Clients(f.Which)
		if err != nil {
			return err
		}
		return changeClients(a, clients, f.DryRun, "recall isn't in it", hooks.Client.Uninstall)
	})
}

func runMcpInstall(a *app.App, f mcpFlags) error {
	program, err := mcpProgram(a, f.Project)
	if err != nil {
		return err
	}
	clients, err := hooks.Clients(f.Which)
	if err != nil {
		return err
	}
	if f.All() {
		clients = slices.DeleteFunc(clients, func(c hooks.Client) bool { return !c.There })
		if len(clients) == 0 {
			fmt.Fprintln(a.Out, "Neither Claude Code nor Claude Desktop is set up here; --claude-code or --claude-desktop "+
				"adds it anyway.")
		}
	}
	sayOtherSide(a, clients, f)
	err = changeClients(a, clients, f.DryRun, "recall is already in it", func(c hooks.Client) (hooks.Change, error) {
		return c.Install(program)
	})
	if err != nil {
		return err
	}
	if len(clients) > 0 && !f.DryRun {
		fmt.Fprintln(a.Out, "A running client uses it after a restart.")
	}
	if doc, err := hooks.LookAtClients(); err == nil && doc.Twice() {
		fmt.Fprintf(a.Err, "recall: warning: %s\n", twiceServed)
	}
	printSnippets(a, program)
	return nil
}

// sayOtherSide reports what will happen on the Windows side of a WSL.
func sayOtherSide(a *app.App, clients []hooks.Client, f mcpFlags) {
	w := cowork.OtherSide()
	if w == nil || f.ClaudeCode || f.Project {
		return
	}
	if i := slices.IndexFunc(clients, func(c hooks.Client) bool { return c.Distro != "" }); i >= 0 {
		fmt.Fprintf(a.Out, "This is WSL: the Windows app of your Windows user will start recall with wsl.exe -d %s; no "+
			"other user's configuration is touched.\n", terminal.Line(w.Distro))
	} else if len(w.Data) == 0 {
		fmt.Fprintln(a.Out, "This is WSL, and it doesn't say which Windows user you are: the Windows app is left alone. "+
			"Set WSLENV=USERPROFILE/p on Windows to pass it on.")
	}
}

// mcpProgram is what clients start: this program by its most durable path, with the library and configuration given
// here. In a file shared with others it is recall on their PATH.
func mcpProgram(a *app.App, shared bool) (hooks.Program, error) {
	c, err := a.LoadConfig()
	if err != nil {
		return hooks.Program{}, err
	}
	if shared {
		return hooks.Program{Path: "recall"}, nil
	}
	p, err := thisProgram(a)
	if err == nil && c.Environment("library.dir") { // the client's environment might lack it
		p.Args = append(p.Args, "--library", c.Library.Dir)
	}
	return p, err
}

// changeClients applies one change to each client. A failure doesn't stop the others.
func changeClients(a *app.App, clients []hooks.Client, dryRun bool, nothing string,
	plan func(hooks.Client) (hooks.Change, error)) error {
	var faults []error
	for _, c := range clients {
		change, err := plan(c)
		if err == nil && change.Differs() && c.Project != "" {
			err = hooks.StaysInside(c.Project, c.Path)
		}
		if err == nil && change.Differs() && !dryRun {
			err = change.Do()
		}
		switch {
		case errors.Is(err, hooks.ErrTaken):
			faults = append(faults, hint.With(err, "rename or remove that server first: claude mcp remove recall"))
		case err != nil:
			faults = append(faults, err)
		case !change.Differs():
			fmt.Fprintf(a.Out, "%s: %s: %s\n", c.Name, terminal.Line(c.Path), nothing)
		case dryRun:
			fmt.Fprintf(a.Out, "%s: %s would change:\n%s", c.Name, terminal.Line(c.Path),
				terminal.Visible(change.Lines()))
		default:
			what := "changed"
			if change.Removes {
				what = "removed: it held nothing else"
			} else if change.Backup != "" {
				what = "changed; previous version: " + terminal.Line(filepath.Base(change.Backup))
			}
			fmt.Fprintf(a.Out, "%s: %s: %s\n", c.Name, terminal.Line(c.Path), what)
		}
	}
	return errors.Join(faults...)
}

// printSnippets prints what to paste into the clients that recall doesn't edit.
func printSnippets(a *app.App, p hooks.Program) {
	asJSON := func(v any) string {
		text, _ := json.Marshal(v) // strings: can't fail
		return string(text)
	}
	args := append(slices.Clone(p.Args), "mcp")
	a.Form("mcp-snippets", struct{ Entry, Typed, Local, Command, Args string }{
		Entry:   asJSON(map[string]any{"command": p.Path, "args": args}),
		Typed:   asJSON(map[string]any{"type": "stdio", "command": p.Path, "args": args}),
		Local:   asJSON(map[string]any{"type": "local", "command": append([]string{p.Path}, args...)}),
		Command: asJSON(p.Path), Args: asJSON(args)})
}

func newMcpStatusCmd(a *app.App) *cobra.Command {
	return option.Result(a, "mcp-status", nil,
		func(context.Context, []string) (hooks.Served, error) {
			doc, err := hooks.LookAtClients()
			if err != nil {
				return doc, err
			}
			installed := func(c hooks.ClientStatus) bool { return c.Installed }
			return doc, option.Nothing(!doc.Plugin && !slices.ContainsFunc(doc.Clients, installed))
		},
		func(a *app.App, doc hooks.Served) {
			a.Form("mcp-status", struct {
				hooks.Served
				TwiceServed string
			}{doc, twiceServed})
		})
}

// twiceServed is the warning for a client that gets each of recall's tools twice.
const twiceServed = "Claude Code has each tool twice, by the plugin and by its configuration: recall mcp " +
	"uninstall --claude-code, or turn the plugin off"
