package keep

import (
	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
)

func newReindexCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "reindex",
		Short: "Make the index again from the library alone",
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := a.Library(cmd.Context())
			if err != nil {
				return err
			}
			return a.Reindex(cmd.Context(), l)
		},
	}
}
