// Command recall keeps every Claude Code, Codex, Gemini CLI, OpenCode and Cowork session, distills it into
// what it decided, and answers "what did we decide about X" with evidence.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"recall/cmd/recall/agents"
	"recall/cmd/recall/app"
	"recall/cmd/recall/ask"
	"recall/cmd/recall/keep"
	"recall/cmd/recall/measure"
	"recall/cmd/recall/option"
	"recall/cmd/recall/review"
	"recall/cmd/recall/setup"
	"recall/cmd/recall/team"
	"recall/cmd/recall/terminal"
	"recall/config"
	"recall/hint"
	"recall/hooks"
)

func main() {
	os.Exit(Main())
}

// Main runs recall with the process's own arguments and streams and returns
// its exit code. Tests register it as a program of its own.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // the second one ends what doesn't look at the first: a file that nobody writes to
	return run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}

func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	if agents.IsHook(args) {
		errOut = io.Discard
		if e := args[len(args)-1]; e != hooks.PreCompact.Word() && e != hooks.SessionEnd.Word() {
			debug.SetGCPercent(400) // it is over before 16 MB are used
		}
	}
	said := &terminal.Output{W: out, Color: terminal.ColorOn(out)}
	a := &app.App{In: in, Out: said, Err: &terminal.Output{W: errOut, After: said}, Color: said.Color, Again: run}
	defer a.Close()
	root := rootCmd(a)
	root.SetArgs(asMeant(args))
	cmd, err := root.ExecuteContextC(ctx)
	err = option.NameProject(cmd, err)
	if lost := said.End(); lost != nil && (err == nil || errors.As(err, new(app.ExitCode))) {
		err = fmt.Errorf("the output isn't whole: %w", lost)
	}
	if code := reportError(a, err); !agents.IsHook(args) {
		return code
	}
	return app.ExitOK
}

// reportError prints an error with its hint and turns it into the exit code.
func reportError(a *app.App, err error) int {
	var code app.ExitCode
	switch {
	case err == nil, errors.Is(err, terminal.ErrSeen):
		return app.ExitOK
	case errors.As(err, &code):
		return int(code)
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(a.Err, "recall: interrupted; nothing is lost, the next run goes on from here")
		return app.ExitError
	}
	err = option.FlagsTogether(err)
	fmt.Fprintf(a.Err, "recall: error: %s\n", terminal.Visible(err.Error()))
	if hint := hint.Of(err); hint != "" {
		fmt.Fprintf(a.Err, "recall: hint: %s\n", terminal.Visible(hint))
	}
	return app.ExitError
}

func rootCmd(a *app.App) *cobra.Command {
	root := option.Command("recall", nil, nil)
	root.Version, root.SilenceErrors, root.SilenceUsage = app.VersionText(), true, true
	root.PersistentPreRun = func(cmd *cobra.Command, _ []string) {
		a.Flags, a.Silent = cmd.Flags(), cmd.Name() == "hook" || cmd.HasParent() && cmd.Parent().Name() == "hook"
		if no, err := cmd.Flags().GetBool("no-pager"); err == nil && !no && cmd.Annotations["paged"] != "" {
			terminal.Paged(a.Out)
		}
	}
	root.SetIn(a.In)
	root.SetOut(a.Out) // before the completion commands are made, which keep it
	root.SetErr(a.Err)
	root.SetFlagErrorFunc(option.BadFlag)
	root.PersistentFlags().StringVar(&a.ConfigFile, "config", "",
		"configuration file (default: see recall config --help)")
	root.PersistentFlags().Bool("no-pager", false, "print long output as it is")
	root.PersistentFlags().MarkHidden("no-pager")
	root.PersistentFlags().String("library", "", "the library's folder (library.dir)")
	config.SetsKey(root.PersistentFlags(), "library", "library.dir")
	root.AddCommand(versionCmd(a))
	root.AddCommand(ask.Commands(a)...)
	root.AddCommand(review.Commands(a)...)
	root.AddCommand(keep.Commands(a)...)
	root.AddCommand(setup.Commands(a)...)
	root.AddCommand(team.Commands(a)...)
	root.AddCommand(agents.Commands(a)...)
	root.AddCommand(measure.Commands(a)...)
	root.AddCommand(buildCmds()...)
	root.AddGroup(&cobra.Group{ID: "ask", Title: "Ask and go on:"},
		&cobra.Group{ID: "keep", Title: "Take in and keep:"}, &cobra.Group{ID: "look", Title: "Look and mend:"})
	frontHelp(root)
	root.SetHelpCommand(helpCmd())
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Hidden = true
			c.Example = "  recall completion bash > ~/.local/share/bash-completion/completions/recall"
		}
	}
	root.SetVersionTemplate(versionLine())
	option.Explain(a, root)
	return root
}
