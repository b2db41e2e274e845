package option

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/hint"
	"recall/library"
)

// Do makes a command that says itself what it did. For its page and flags see Command.
func Do(name string, into any, do func(ctx context.Context, args []string) error) *cobra.Command {
	return Command(name, into, func(cmd *cobra.Command, args []string) error { return do(cmd.Context(), args) })
}

// Run is Do of a command that works in the library.
func Run(a *app.App, name string, into any,
	do func(ctx context.Context, l *library.Library, args []string) error) *cobra.Command {
	return Do(name, into, func(ctx context.Context, args []string) error {
		l, err := a.Library(ctx)
		if err != nil {
			return err
		}
		return do(ctx, l, args)
	})
}

// Result makes a command that makes one document: do makes it, print shows it to people, and --json prints it for
// programs. An app.ExitCode beside the document ends the command after it was printed.
func Result[T any](a *app.App, name string, into any, do func(ctx context.Context, args []string) (T, error),
	print func(*app.App, T)) *cobra.Command {
	return Command(name, into, func(cmd *cobra.Command, args []string) error {
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
}

// Asked is Result of a command that is answered from the library.
func Asked[T any](a *app.App, name string, into any,
	do func(ctx context.Context, l *library.Library, args []string) (T, error), print func(*app.App, T)) *cobra.Command {
	return Result(a, name, into, func(ctx context.Context, args []string) (doc T, err error) {
		l, err := a.Library(ctx)
		if err != nil {
			return doc, err
		}
		return do(ctx, l, args)
	}, print)
}

// Refuse has a command refused before anything is opened where its arguments and flags are wrong, with an error and the
// way out of it; "" for what is said of too many or too few arguments.
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

// Group makes a command of those below it.
func Group(name string, below ...*cobra.Command) *cobra.Command {
	cmd := Command(name, nil, nil)
	cmd.AddCommand(below...)
	return cmd
}

// Nothing is the exit code of a document without anything in it.
func Nothing(empty bool) error {
	if empty {
		return app.ExitCode(app.ExitNothing)
	}
	return nil
}
