//go:build man

package main

import (
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"recall/cmd/recall/app"
	"recall/hint"
)

// buildCmds are commands that only a release is built with: writing the man
// pages needs a Markdown renderer that nobody else has to carry.
func buildCmds() []*cobra.Command {
	return []*cobra.Command{{
		Use:     "man DIR",
		Short:   "Write the man pages",
		Example: "  go run -tags man ./cmd/recall man DIR",
		Hidden:  true,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			// The day of what is released, so that the same source gives the same pages.
			seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
			if err != nil {
				return hint.With(err, "SOURCE_DATE_EPOCH says what day the pages bear, in seconds since 1970")
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			day := time.Unix(seconds, 0).UTC()
			root := cmd.Root()
			root.DisableAutoGenTag = true
			return doc.GenManTree(root, &doc.GenManHeader{Title: "RECALL", Section: "1", Date: &day,
				Source: "recall " + app.VersionText(), Manual: "recall"}, args[0])
		},
	}}
}
