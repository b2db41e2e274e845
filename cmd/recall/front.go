package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/library"
)

// front are the commands that recall --help shows; recall help all shows all of them.
var front = []struct {
	title    string
	commands []string
}{
	{"Ask and go on", []string{"query", "why", "open", "log", "list", "show", "resume"}},
	{"Keep and correct", []string{"init", "status", "review", "guard"}},
	{"Set up", []string{"hooks", "mcp", "schedule"}},
}

// groups are the commands as recall help all lists them; those in no group come last.
var groups = []struct{ id, title, commands string }{
	{"ask", "Ask and go on:", "brief files fix habits handoff list log mcp open progress query resume show thread " +
		"why wrap-up"},
	{"keep", "Take in and keep:", "archive backup calibrate cleanup demo edit embed export forget guard hooks import " +
		"init project rebuild redistill reindex relate restore review schedule sync"},
	{"look", "Look and mend:", "config eval hook inspect manifest repair status usage verify version"},
}

// group puts each command into its group.
func group(root *cobra.Command) {
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, c := range root.Commands() {
			if slices.Contains(strings.Fields(g.commands), c.Name()) {
				c.GroupID = g.id
			}
		}
	}
}

// frontHelp gives the root command a help of one screen, and leaves the others' as
// it is.
func frontHelp(root *cobra.Command) {
	whole := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if cmd != root || slices.Contains(args, "all") {
			whole(cmd, args)
			return
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%s\n\nUsage:\n  recall \"QUESTION\"\n  recall COMMAND [flags]\n\nExamples:\n%s\n", root.Long,
			root.Example)
		for _, group := range front {
			fmt.Fprintf(&b, "\n%s:\n", group.title)
			for _, name := range group.commands {
				c, _, _ := root.Find([]string{name})
				fmt.Fprintf(&b, "  %-10s  %s\n", c.Name(), c.Short)
			}
		}
		b.WriteString("\nrecall help all shows every command, recall help COMMAND more about one.\n")
		fmt.Fprint(cmd.OutOrStdout(), b.String())
	})
}

// helpCmd is cobra's, but for an unknown command, which is an error, and for all.
func helpCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND | all]",
		Short:   "Help about a command, or the list of all",
		Example: "  recall help query\n  recall help all",
		GroupID: "look",
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			if slices.Equal(args, []string{"all"}) {
				root.HelpFunc()(root, args)
				return nil
			}
			about, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return option.BadArguments(about, append(rest, args[len(args)-1]))
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
		Args: cobra.ArbitraryArgs,
	}
}

// asQuestion has a first argument with a blank in it, which no command has, be a
// question.
func asQuestion(args []string) []string {
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") && strings.ContainsAny(strings.TrimSpace(args[0]), " \t\n") {
		return append([]string{"query"}, args...)
	}
	return args
}

// versionLine is what a report of a fault needs.
func versionLine() string {
	return fmt.Sprintf("recall %s, %s %s/%s, library format %d\n", app.VersionText(), runtime.Version(), runtime.GOOS,
		runtime.GOARCH, library.Format)
}

func versionCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print recall's version",
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(a.Out, versionLine())
			return err
		},
	}
}
