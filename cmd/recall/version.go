package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
)

func versionCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print recall's version",
		GroupID: "look",
		Example: "  recall version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.Out, "recall", app.VersionText())
			return err
		},
	}
}
