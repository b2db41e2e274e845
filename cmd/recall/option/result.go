package option

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/library"
)

// Result completes a command that makes one document: do makes it, print shows it to people, and --json prints it for
// programs. An app.ExitCode beside the document ends the command after it was printed.
func Result[T any](a *app.App, cmd *cobra.Command, do func(ctx context.Context, args []string) (T, error),
	print func(*app.App, T)) *cobra.Command {
	var asJSON bool
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		doc, err := do(cmd.Context(), args)
		if err != nil && !errors.As(err, new(app.ExitCode)) {
			return err
		}
		if asJSON {
			return errors.Join(a.PrintJSON(doc), err)
		}
		print(a, doc)
		return err
	}
	return cmd
}

// Asked is Result of a command that is answered from the library.
func Asked[T any](a *app.App, cmd *cobra.Command,
	do func(ctx context.Context, l *library.Library, args []string) (T, error), print func(*app.App, T)) *cobra.Command {
	return Result(a, cmd, func(ctx context.Context, args []string) (doc T, err error) {
		l, err := a.Library(ctx)
		if err != nil {
			return doc, err
		}
		return do(ctx, l, args)
	}, print)
}

// Run completes a command that works in the library, and says itself what it did.
func Run(a *app.App, cmd *cobra.Command,
	do func(ctx context.Context, l *library.Library, args []string) error) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		l, err := a.Library(cmd.Context())
		if err != nil {
			return err
		}
		return do(cmd.Context(), l, args)
	}
	return cmd
}

// OnPage shows a document on a page.
func OnPage[T any](print func(*terminal.Page, T)) func(*app.App, T) {
	return func(a *app.App, doc T) {
		p := a.Page()
		print(&p, doc)
	}
}

// Nothing is the exit code of a document without anything in it.
func Nothing(empty bool) error {
	if empty {
		return app.ExitCode(app.ExitNothing)
	}
	return nil
}
