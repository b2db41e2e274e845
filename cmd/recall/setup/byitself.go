package setup

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
)

// parts are what makes recall run by itself. Each is a command of its own, for scripts.
var parts = []struct{ name, does, remove string }{
	{"hooks", "Claude Code starts each session with what was settled, and is told when it goes against that", "uninstall"},
	{"mcp", "agents in Claude Code and Claude Desktop (Cowork with it) ask recall, and note decisions", "uninstall"},
	{"schedule", "the system archives new sessions every ten minutes, and distills them every night", "remove"},
}

func newSetupCmd(a *app.App) *cobra.Command {
	var all, remove, status bool
	cmd := &cobra.Command{
		Use:        "setup",
		SuggestFor: []string{"install"},
		Short:      "Have Claude Code, agents and the system call recall by themselves, or no longer",
		RunE: func(cmd *cobra.Command, _ []string) error {
			asks := !all && !remove && !status && terminal.IsTerminal(a.Out)
			if all || asks {
				if _, err := a.Library(cmd.Context()); err != nil {
					return err
				}
			}
			st, worst := terminal.Styles(a.Color), app.ExitOK
			for _, p := range parts {
				fmt.Fprintf(a.Out, "%s%s%s: %s\n", st.Bold, p.name, st.Reset, p.does)
				code := app.ExitOK
				switch {
				case remove:
					code = a.Run(cmd.Context(), p.name, p.remove)
					if code == app.ExitNothing {
						code = app.ExitOK
					}
				case all || asks && wanted(cmd.Context(), a, p.name):
					code = a.Run(cmd.Context(), p.name, "install")
				case !asks:
					code = a.Run(cmd.Context(), p.name, "status")
				}
				worst = max(worst, code)
				fmt.Fprintln(a.Out)
			}
			if !all && !asks && !remove && !status {
				fmt.Fprintln(a.Out, "recall setup asks on a terminal; recall setup --all sets up all three")
			}
			return app.Exit(worst)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "set up all three without asking; again brings them up to date")
	cmd.Flags().BoolVar(&remove, "remove", false, "take all three away again")
	cmd.Flags().BoolVar(&status, "status", false, "tell which are set up, and how they went")
	cmd.MarkFlagsMutuallyExclusive("all", "remove", "status")
	return cmd
}

// wanted asks whether a part is to be set up, and shows before what it would write, if that is asked for.
func wanted(ctx context.Context, a *app.App, name string) bool {
	for {
		fmt.Fprint(a.Out, "y: set it up, s: show what would be written, any other key: not now ")
		key := terminal.Key(a.In)
		fmt.Fprintln(a.Out)
		if key != 's' && key != 'S' {
			return key == 'y' || key == 'Y'
		}
		a.Run(ctx, name, "install", "--dry-run")
	}
}
