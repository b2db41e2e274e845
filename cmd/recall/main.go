// Command recall keeps every Claude Code and Cowork session, distills it into
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

	"recall/hooks"
)

// Exit codes, as grep has them; documented in the help of the root command.
const (
	exitOK      = 0
	exitNothing = 1 // nothing that answers the question; nothing found; not done
	exitError   = 2
	exitPartial = 3 // done, with sessions skipped
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
	if isHook(args) {
		errOut = io.Discard
		if e := args[len(args)-1]; e != hooks.PreCompact.Word() && e != hooks.SessionEnd.Word() {
			debug.SetGCPercent(400) // it is over before 16 MB are used
		}
	}
	said := &output{w: out, color: colorOn(out)}
	a := &app{in: in, out: said, err: &output{w: errOut}, color: said.color, again: run}
	defer a.close()
	root := rootCmd(a)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	err = nameProject(cmd, err)
	if lost := said.end(); lost != nil && (err == nil || errors.As(err, new(exitCode))) {
		err = fmt.Errorf("the output isn't whole: %w", lost)
	}
	if code := reportError(a, err); !isHook(args) {
		return code
	}
	return exitOK
}

// reportError prints an error with its hint and turns it into the exit code.
func reportError(a *app, err error) int {
	var code exitCode
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &code):
		return int(code)
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(a.err, "recall: interrupted; nothing is lost, the next run goes on from here")
		return exitError
	}
	err = flagsTogether(err)
	fmt.Fprintf(a.err, "recall: error: %s\n", visible(err.Error()))
	if hint := hintOf(err); hint != "" {
		fmt.Fprintf(a.err, "recall: hint: %s\n", visible(hint))
	}
	return exitError
}

// exitCode ends a command that has already said all there is to say.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

const longHelp = `recall keeps every Claude Code and Cowork session, distills it into what it
decided, and answers "what did we decide about X" with evidence.

Everything works offline; nothing leaves this machine unless you choose a model.

Exit codes: 0 done or answered; 1 nothing found, or something waits for you;
2 an error; 3 done, with sessions skipped; 4 worse than the baseline (eval).`

const examples = `  recall init                                   take in all history, once
  recall query "what did we decide about retries"
  recall resume --copy                          the payload for the next session
  recall demo                                   try it on invented sessions`

func rootCmd(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:           "recall",
		Short:         "A memory for AI coding work",
		Long:          longHelp,
		Example:       examples,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRun: func(cmd *cobra.Command, _ []string) {
			a.flags, a.silent = cmd.Flags(), cmd.Name() == "hook" || cmd.HasParent() && cmd.Parent().Name() == "hook"
		},
	}
	root.SetIn(a.in)
	root.SetOut(a.out) // before the completion commands are made, which keep it
	root.SetErr(a.err)
	root.SetFlagErrorFunc(badFlag)
	root.PersistentFlags().StringVar(&a.configFile, "config", "", "configuration file (default: see recall config --help)")
	root.PersistentFlags().String("library", "", "the library's folder (library.dir)")
	setsKey(root.PersistentFlags(), "library", "library.dir")
	root.AddGroup(
		&cobra.Group{ID: "ask", Title: "Ask and go on:"},
		&cobra.Group{ID: "keep", Title: "Take in and keep:"},
		&cobra.Group{ID: "look", Title: "Look and mend:"},
	)
	root.AddCommand(versionCmd(a))
	root.AddCommand(askCommands(a)...)
	root.AddCommand(reviewCommands(a)...)
	root.AddCommand(keepCommands(a)...)
	root.AddCommand(setupCommands(a)...)
	root.AddCommand(agentsCommands(a)...)
	root.AddCommand(measureCommands(a)...)
	root.AddCommand(buildCmds()...)
	root.SetHelpCommand(helpCmd())
	root.SetCompletionCommandGroupID("look")
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Example = "  recall completion bash > ~/.local/share/bash-completion/completions/recall"
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() } // so that its arguments are checked
		}
	}
	explainUsage(root)
	return root
}

// helpCmd is cobra's, but for an unknown command, which is an error.
func helpCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Help about a command",
		Example: "  recall help query",
		GroupID: "look",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return badArguments(about, append(rest, args[len(args)-1]))
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
		Args: cobra.ArbitraryArgs,
	}
}
