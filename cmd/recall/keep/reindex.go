package keep

import (
	"context"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/library"
)

func newReindexCmd(a *app.App) *cobra.Command {
	return option.Run(a, &cobra.Command{
		Use:   "reindex",
		Short: "Make the index again from the library alone",
	}, func(ctx context.Context, l *library.Library, _ []string) error { return a.Reindex(ctx, l) })
}
