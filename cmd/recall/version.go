package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/library"
)

// versionLine is what a report of a fault needs.
func versionLine() string {
	return fmt.Sprintf("recall %s, %s %s/%s, library format %d\n", app.VersionText(), runtime.Version(), runtime.GOOS,
		runtime.GOARCH, library.Format)
}

func versionCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print recall's version",
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(a.Out, versionLine())
			return err
		},
	}
}
