//go:build man

package main

import (
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"recall/cmd/recall/app"
	"recall/internal/hint"
)

// buildCmds returns commands that only a release build has: writing the man pages needs a Markdown renderer that
// recall itself doesn't.
func buildCmds() []*cobra.Command {
	return []*cobra.Command{{
		Use:     "man DIR",
		Short:   "Write the man pages",
		Example: "  go run -tags man ./cmd/recall man DIR",
		Hidden:  true,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			// The release date, so that the same source gives the same pages.
			seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
			if err != nil {
				return hint.With(err, "SOURCE_DATE_EPOCH is the date of the pages, in seconds since 1970")
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
