package setup

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/config"
)

// parts are what makes recall run by itself. Each is a command of its own, for scripts.
var parts = []struct{ name, does, remove string }{
	{"hooks",
		"Claude Code starts each session with what was settled, and is told when it goes against that", "uninstall"},
	{"mcp",
		"agents in Claude Code and Claude Desktop (Cowork with it) ask recall and tell it; Codex: recall mcp install",
		"uninstall"},
	{"schedule",
		"new sessions of Claude Code, Codex, Gemini CLI, OpenCode and Cowork are archived every ten minutes, " +
			"distilled every night",
		"remove"},
}

func newSetupCmd(a *app.App) *cobra.Command {
	var o struct{ All, Remove, Status, Pause, Resume, Keep bool }
	cmd := option.Do("setup", &o, func(ctx context.Context, args []string) error {
		if o.Pause || o.Resume {
			return runPause(ctx, a, args, o.Resume, o.Keep)
		}
		asks := !o.All && !o.Remove && !o.Status && terminal.IsTerminal(a.Out)
		if o.All || asks {
			if _, err := a.Library(ctx); err != nil {
				return err
			}
		}
		st, worst := terminal.Styles(a.Color), app.ExitOK
		for _, p := range parts {
			fmt.Fprintf(a.Out, "%s%s%s: %s\n", st.Bold, p.name, st.Reset, p.does)
			code := app.ExitOK
			switch {
			case o.Remove:
				code = a.Run(ctx, p.name, p.remove)
				if code == app.ExitNothing {
					code = app.ExitOK
				}
			case o.All || asks && wanted(ctx, a, p.name):
				code = a.Run(ctx, p.name, "install")
			case !asks:
				code = a.Run(ctx, p.name, "status")
			}
			worst = max(worst, code)
			fmt.Fprintln(a.Out)
		}
		if !o.All && !asks && !o.Remove && !o.Status {
			fmt.Fprintln(a.Out, "recall setup asks on a terminal; recall setup --all sets up all three")
		}
		if c, err := a.LoadConfig(); o.Remove && err == nil {
			self, _ := app.Self()
			fmt.Fprintf(a.Out, "What recall kept stays. To delete everything, remove: %s\n",
				strings.Join(append(c.Places(config.ThisSystem()), self), ", "))
		}
		return app.Exit(worst)
	})
	return option.Refuse(cmd, func(args []string) bool {
		return len(args) > 1 || len(args) == 1 && !o.Pause || o.Keep && !o.Resume
	}, "setup: a time goes with --pause alone, and --keep with --resume",
		"recall setup --pause 2h, recall setup --resume")
}

// wanted asks whether a part is to be set up, and shows before what it would write, if that is asked for.
func wanted(ctx context.Context, a *app.App, name string) bool {
	for {
		fmt.Fprint(a.Out, "y: set it up, s: show what would be written, any other key: not now ")
		key := terminal.Key(ctx, a.In)
		fmt.Fprintln(a.Out)
		if key != 's' && key != 'S' {
			return key == 'y' || key == 'Y'
		}
		a.Run(ctx, name, "install", "--dry-run")
	}
}
