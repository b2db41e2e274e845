// Package option holds what commands share on the command line: help pages, flags that check their values when parsed,
// completion, and readable errors about arguments.
package option

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/internal/hint"
	"recall/pipeline"
)

// Explain completes a command and its subcommands: how many arguments they take, unless they say so themselves,
// and readable errors about them.
func Explain(cmd *cobra.Command) {
	if cmd.HasSubCommands() && !cmd.Runnable() { // runnable, so that its arguments are checked
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	check := cmd.Args
	if check == nil {
		check = asUsed(cmd.Use)
	}
	cmd.Args = func(c *cobra.Command, args []string) error {
		err := check(c, args)
		var h *hint.Error
		if err == nil || errors.As(err, &h) {
			return err
		}
		return BadArguments(c, args)
	}
	for _, sub := range cmd.Commands() {
		Explain(sub)
	}
}

// asUsed derives the number of arguments from a usage line, up to its flags: SESSION is required, [SESSION] optional,
// SESSION… is one or more, and [SESSION…] any number.
func asUsed(use string) cobra.PositionalArgs {
	least, most := 0, 0
	for _, word := range strings.Fields(use)[1:] {
		if strings.HasPrefix(strings.TrimPrefix(word, "["), "--") {
			break
		}
		optional := strings.HasPrefix(word, "[")
		if !optional {
			least++
		}
		if most++; strings.HasSuffix(strings.TrimSuffix(word, "]"), "…") {
			most = math.MaxInt
		}
	}
	return cobra.RangeArgs(least, most)
}

// NameProject adds a hint to the error of a command called where no session worked: how to call it for the last active
// project.
func NameProject(cmd *cobra.Command, err error) error {
	var not *pipeline.NotHereError
	var h *hint.Error
	switch {
	case !errors.As(err, &not) || errors.As(err, &h):
		return err
	case not.Project == "":
		return hint.With(err, "recall sync imports sessions; recall status lists where it looks for them")
	case cmd.Flag("project") != nil:
		return hint.With(err, "%s --project %q; recall project list shows all", cmd.CommandPath(), not.Project)
	case strings.Contains(cmd.Use, "[PROJECT"):
		return hint.With(err, "%s %q; recall project list shows all", cmd.CommandPath(), not.Project)
	}
	return hint.With(err, "name the session; recall list --project %q shows them", not.Project)
}

// BadArguments words the error about an unknown command or a wrong number of arguments.
func BadArguments(c *cobra.Command, args []string) error {
	path, quoted := c.CommandPath(), ""
	first := !c.HasParent() || !c.Parent().HasParent() // a question may begin with a command's name
	if _, words, _ := strings.Cut(path+" "+strings.Join(args, " "), " "); first && len(args) > 1 {
		quoted = fmt.Sprintf("; put a question in quotes: recall %q", words)
	} else if !c.HasParent() && c.CalledAs() != "" && len(args) == 1 {
		quoted = fmt.Sprintf("; %s query %s asks it", path, args[0])
	}
	if c.HasAvailableSubCommands() && len(args) > 0 {
		err := fmt.Errorf("unknown command %q for %q", args[0], path)
		c.SuggestionsMinimumDistance = min(2, len(args[0])/2) // "foo" isn't "log"
		way := path + " --help lists the commands"
		if near := c.SuggestionsFor(args[0]); len(near) > 0 {
			way = fmt.Sprintf("did you mean %s %s?", path, strings.Join(near, " or "))
			quoted = strings.TrimPrefix(quoted, ";")
		}
		return hint.With(err, "%s", way+quoted)
	}
	_, wants, _ := strings.Cut(strings.TrimSuffix(c.UseLine(), " [flags]"), path)
	if wants = strings.TrimSpace(wants); wants == "" {
		wants = "none"
	}
	return hint.With(fmt.Errorf("%s: got %s, want %s", path, answer.Count(len(args), "argument"), wants),
		"%s --help has examples%s", path, quoted)
}

// BadFlag names the flag that an error is about, and gives a hint.
func BadFlag(cmd *cobra.Command, err error) error {
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		err = fmt.Errorf("--%s: %w", bad.GetFlag().Name, bad.Unwrap())
	}
	return hint.With(err, "%s", cmp.Or(hint.Of(err), cmd.CommandPath()+" --help lists the flags"))
}

// NameFlags words cobra's error about flags that exclude one another; see Flags.Apart.
func NameFlags(cmd *cobra.Command, err error) error {
	if err == nil {
		return nil
	}
	if _, names, ok := strings.Cut(err.Error(), "are set none of the others can be; ["); ok {
		names, _, _ = strings.Cut(names, "]")
		err = fmt.Errorf("--%s can't be given together", strings.ReplaceAll(names, " ", " and --"))
		return BadFlag(cmd, err)
	}
	return err
}

// pages holds the help page of each command: that of recall project list is project-list.txt. A page begins with the
// usage line and a short description, followed by lines such as its group in recall help all, "hidden" for commands
// meant for scripts and other programs, and "paged" if its output can be long. After a blank line comes the long
// description, and after "Examples:" the examples.
//
//go:embed help/*.txt
var pages embed.FS

// Paged annotates a command whose output can be long and that asks nothing while it runs.
var Paged = map[string]string{"paged": "yes"}

// Command makes a command from its page; flags, which may be nil, declares its flags.
func Command(name string, flags func(*Flags), run func(cmd *cobra.Command, args []string) error) *cobra.Command {
	text, err := pages.ReadFile("help/" + name + ".txt")
	if err != nil {
		panic(err) // a command without a page
	}
	head, rest, _ := strings.Cut(string(text), "\n\n")
	long, examples, _ := strings.Cut("\n"+rest, "\nExamples:\n")
	lines := strings.Split(strings.TrimSpace(head), "\n")
	cmd := &cobra.Command{Use: lines[0], Short: lines[1], Long: strings.TrimSpace(long),
		Example: strings.TrimRight(examples, "\n"), RunE: run}
	for _, line := range lines[2:] {
		switch what, words, _ := strings.Cut(line, ": "); what {
		case "also":
			cmd.Aliases = strings.Fields(words)
		case "meant by":
			cmd.SuggestFor = strings.Fields(words)
		case "group":
			cmd.GroupID = words
		case "paged":
			cmd.Annotations = Paged
		case "hidden":
			cmd.Hidden = true
		}
	}
	if flags != nil {
		flags(&Flags{cmd.Flags(), cmd})
	}
	return cmd
}

// A Maker makes a command.
type Maker func(*app.App) *cobra.Command

// Do makes a command that prints its own result. For its page and flags see Command.
func Do(name string, flags func(*Flags), do func(ctx context.Context, args []string) error) *cobra.Command {
	return Command(name, flags, func(cmd *cobra.Command, args []string) error { return do(cmd.Context(), args) })
}

// Run is Do for a command that works on the library, a.Lib.
func Run(a *app.App, name string, flags func(*Flags),
	do func(ctx context.Context, args []string) error) *cobra.Command {
	return Do(name, flags, func(ctx context.Context, args []string) error {
		if _, err := a.Library(ctx); err != nil {
			return err
		}
		return do(ctx, args)
	})
}

// Result makes a command whose result is one document: do makes it, print shows it, or --json, a flag that is declared
// here unless flags words it, prints it as JSON. An app.ExitCode returned with the document ends the command after
// printing.
func Result[T any](a *app.App, name string, flags func(*Flags), do func(ctx context.Context, args []string) (T, error),
	print func(*app.App, T)) *cobra.Command {
	cmd := Command(name, flags, func(cmd *cobra.Command, args []string) error {
		doc, err := do(cmd.Context(), args)
		if err != nil && !errors.As(err, new(app.ExitCode)) {
			return err
		}
		if asJSON, _ := cmd.Flags().GetBool("json"); asJSON {
			return errors.Join(a.PrintJSON(doc), err)
		}
		print(a, doc)
		return err
	})
	if cmd.Flags().Lookup("json") == nil {
		cmd.Flags().Bool("json", false, "print as JSON")
	}
	return cmd
}

// Asked is Result for a command that works on the library, a.Lib.
func Asked[T any](a *app.App, name string, flags func(*Flags),
	do func(ctx context.Context, args []string) (T, error), print func(*app.App, T)) *cobra.Command {
	return Result(a, name, flags, func(ctx context.Context, args []string) (doc T, err error) {
		if _, err := a.Library(ctx); err != nil {
			return doc, err
		}
		return do(ctx, args)
	}, print)
}

// Refuse makes a command fail before anything is opened if its arguments and flags are wrong, with an error and a
// hint; what "" means the standard error about the number of arguments.
func Refuse(cmd *cobra.Command, wrong func(args []string) bool, what, wayOut string) *cobra.Command {
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		switch {
		case !wrong(args):
			return nil
		case what == "":
			return BadArguments(cmd, args)
		}
		return hint.With(errors.New(what), "%s", wayOut)
	}
	return cmd
}

// Nothing returns the exit code for an empty document; nil if it isn't empty.
func Nothing(empty bool) error {
	if empty {
		return app.ExitCode(app.ExitNothing)
	}
	return nil
}
