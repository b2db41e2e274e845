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
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"recall/cmd/recall/agents"
	"recall/cmd/recall/app"
	"recall/cmd/recall/ask"
	"recall/cmd/recall/config"
	"recall/cmd/recall/keep"
	"recall/cmd/recall/option"
	"recall/cmd/recall/review"
	"recall/cmd/recall/setup"
	"recall/cmd/recall/team"
	"recall/cmd/recall/terminal"
	"recall/index"
	"recall/library"
	"recall/serve/hooks"
)

func main() {
	os.Exit(Main())
}

// Main runs recall with the process's arguments and streams and returns its exit code. Tests register it as a program.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal kills what ignores the first, such as a blocked read
	switch event, isHook := agents.HookEvent(os.Args[1:]); {
	case !isHook, event == hooks.PreCompact.Word(), event == hooks.SessionEnd.Word():
	default:
		debug.SetGCPercent(400) // a hook ends before it has used 16 MB
		if event == hooks.UserPromptSubmit.Word() {
			runtime.GOMAXPROCS(1) // waking threads for its many short waits would take a sixth of its CPU
		}
	}
	return run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}

func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	_, isHook := agents.HookEvent(args)
	if isHook {
		errOut = io.Discard
	}
	said := &terminal.Output{W: out, Color: terminal.ColorOn(out)}
	a := &app.App{Again: run, Console: terminal.Console{In: in, Out: said, Color: said.Color,
		Err: &terminal.Output{W: errOut, After: said}}}
	defer a.Close()
	args = withQuery(args)
	root := rootCmd(a)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	err = option.NameProject(cmd, option.NameFlags(cmd, err))
	if lost := said.End(); lost != nil && (err == nil || errors.As(err, new(app.ExitCode))) {
		err = fmt.Errorf("the output is incomplete: %w", lost)
	}
	if code := reportError(a, err); !isHook {
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
	case errors.Is(err, context.Canceled), index.Interrupted(err):
		fmt.Fprintln(a.Err, "recall: interrupted; nothing is lost, the next run continues from here")
		return app.ExitError
	}
	fmt.Fprintf(a.Err, "recall: error: %s\n", terminal.Visible(err.Error()))
	a.SayHint(err)
	return app.ExitError
}

// rootCmd makes the root command with all others.
func rootCmd(a *app.App) *cobra.Command {
	root := option.Command("recall", nil, nil)
	root.SilenceErrors, root.SilenceUsage = true, true
	root.PersistentPreRun = func(cmd *cobra.Command, _ []string) {
		a.Flags = cmd.Flags()
		if no, err := cmd.Flags().GetBool("no-pager"); err == nil && !no && cmd.Annotations["paged"] != "" {
			terminal.Paged(a.Out)
		}
	}
	root.SetIn(a.In)
	root.SetOut(a.Out) // before the completion commands are made, which copy it
	root.SetErr(a.Err)
	root.SetFlagErrorFunc(option.BadFlag)
	root.PersistentFlags().StringVar(&a.ConfigFile, "config", "",
		"configuration file (default: see recall config --help)")
	root.PersistentFlags().Bool("no-pager", false, "print long output as it is")
	root.PersistentFlags().MarkHidden("no-pager")
	root.PersistentFlags().String("library", "", "the library's folder (library.dir)")
	config.SetsKey(root.PersistentFlags(), "library", "library.dir")
	root.AddGroup(&cobra.Group{ID: "ask", Title: "Ask and continue:"},
		&cobra.Group{ID: "keep", Title: "Import and keep:"}, &cobra.Group{ID: "look", Title: "Inspect and repair:"},
		&cobra.Group{ID: "rare", Title: "Rarely needed:"})
	frontHelp(root)
	root.SetHelpCommand(helpCmd())
	root.Version = app.VersionText()
	root.SetVersionTemplate(versionLine())
	for _, newCmd := range slices.Concat([]option.Maker{versionCmd}, ask.Commands, review.Commands, keep.Commands,
		setup.Commands, team.Commands, agents.Commands) {
		root.AddCommand(newCmd(a))
	}
	root.AddCommand(buildCmds()...)
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Hidden = true
			c.Example = "  recall completion bash > ~/.local/share/bash-completion/completions/recall"
		}
	}
	option.Explain(root)
	return root
}

// front lists the commands that recall --help shows; recall help all shows all that aren't hidden.
var front = []struct {
	title    string
	commands []string
}{
	{"Ask and continue", []string{"query", "why", "show", "grep", "log", "list", "resume"}},
	{"Keep and correct", []string{"init", "status", "review", "guard", "check", "forget"}},
	{"Set up", []string{"setup"}},
}

// frontHelp gives the root command a one-screen help and leaves that of other commands alone.
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
		b.WriteString("\nrecall help all lists all commands, recall help COMMAND explains one.\n")
		fmt.Fprint(cmd.OutOrStdout(), b.String())
	})
}

// helpCmd is cobra's help command, but an unknown command is an error, and "all" lists every command.
func helpCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND | all]",
		Short:   "Show help about a command, or list all commands",
		Example: "  recall help query\n  recall help all",
		GroupID: "look", Annotations: option.Paged,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			if slices.Equal(args, []string{"all"}) {
				root.HelpFunc()(root, args)
				return nil
			}
			about, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return option.BadArguments(about, append(rest, args[len(args)-1])[:1])
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
		Args: cobra.ArbitraryArgs,
	}
}

// withQuery turns a first argument that contains a space, or is empty, into a query.
func withQuery(args []string) []string {
	at := commandAt(args)
	if at >= len(args) {
		return args
	}
	if word := strings.TrimSpace(args[at]); word == "" || strings.ContainsAny(word, " \t\n") {
		return slices.Insert(args, at, "query")
	}
	return args
}

// commandAt returns the place of the command among the arguments, after flags of the root command.
func commandAt(args []string) (at int) {
	for at < len(args) && strings.HasPrefix(args[at], "-") {
		if args[at] == "--config" || args[at] == "--library" {
			at++ // its value
		}
		at++
	}
	return at
}

// versionLine returns the version details that a bug report needs.
func versionLine() string {
	return fmt.Sprintf("recall %s, %s %s/%s, library format %d\n", app.VersionText(), runtime.Version(), runtime.GOOS,
		runtime.GOARCH, library.Format)
}

func versionCmd(a *app.App) *cobra.Command {
	return option.Do("version", nil, func(context.Context, []string) error { return a.Print(versionLine()) })
}
