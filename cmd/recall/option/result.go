package option

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/internal/hint"
)

// Makers make commands, by name.
type Makers map[string]func(*app.App) *cobra.Command

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

// Group makes a command of its subcommands.
func Group(name string, below ...*cobra.Command) *cobra.Command {
	cmd := Command(name, nil, nil)
	cmd.AddCommand(below...)
	return cmd
}

// Nothing returns the exit code for an empty document; nil if it isn't empty.
func Nothing(empty bool) error {
	if empty {
		return app.ExitCode(app.ExitNothing)
	}
	return nil
}
