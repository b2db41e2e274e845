package option

import (
	"strings"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	txt "recall/text"
)

// completeSession offers ids with titles to the shell.
func completeSession(a *app.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= strings.Count(cmd.Use, "SESSION") {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		a.Flags = cmd.Flags()
		l, err := a.Library(cmd.Context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		entries, err := l.Sessions()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names []string
		for _, e := range entries {
			names = append(names, answer.ShortID(e.ID)+"\t"+txt.Clip(terminal.Line(e.Title), 60))
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// CompleteProject offers the projects' names to the shell.
func CompleteProject(a *app.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		a.Flags = cmd.Flags()
		l, err := a.Library(cmd.Context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		projects, err := l.Projects()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names []string
		for _, p := range projects {
			names = append(names, p.Name)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
