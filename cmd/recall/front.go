package main

import (
	"context"
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
	{"Ask and go on", []string{"query", "why", "show", "grep", "log", "list", "resume"}},
	{"Keep and correct", []string{"init", "status", "review", "guard", "check", "forget"}},
	{"Set up", []string{"setup"}},
}

// former are names that commands once had, or that a person may type, and what stands for them.
var former = map[string]string{
	"actions": "show --actions", "brief": "prepare", "changed": "log --changed",
	"cleanup": "manifest cleanup", "rebuild": "manifest rebuild",
	"embed": "vectors", "files": "why --file", "fix": "error", "habits": "repeats", "open": "show --open",
	"pr": "why --pr", "progress": "follow",
	"relate": "link", "share": "team share", "unshare": "team unshare", "repair": "check --repair",
	"uninstall": "setup --remove", "usage": "status usage",
	"verify": "check",
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
		GroupID: "look", Annotations: option.Paged,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			if slices.Equal(args, []string{"all"}) {
				root.HelpFunc()(root, args)
				return nil
			}
			if len(args) > 0 {
				isFlag := func(word string) bool { return strings.HasPrefix(word, "-") }
				meant := slices.DeleteFunc(asMeant(args[:1:1]), isFlag)
				args = append(meant, args[1:]...)
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

// asMeant has a first argument with a blank in it, which no command has, be a question, and a former name the present
// one.
func asMeant(args []string) []string {
	at := 0
	for at < len(args) && strings.HasPrefix(args[at], "-") {
		if args[at] == "--config" || args[at] == "--library" {
			at++ // its value
		}
		at++
	}
	if at >= len(args) {
		return args
	}
	if strings.ContainsAny(strings.TrimSpace(args[at]), " \t\n") {
		return slices.Insert(args, at, "query")
	}
	if now, ok := former[args[at]]; ok {
		return slices.Concat(args[:at], strings.Fields(now), args[at+1:])
	}
	return args
}

// versionLine is what a report of a fault needs.
func versionLine() string {
	return fmt.Sprintf("recall %s, %s %s/%s, library format %d\n", app.VersionText(), runtime.Version(), runtime.GOOS,
		runtime.GOARCH, library.Format)
}

func versionCmd(a *app.App) *cobra.Command {
	return option.Do("version", nil, func(context.Context, []string) error { return a.Print(versionLine()) })
}
