package option

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
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
