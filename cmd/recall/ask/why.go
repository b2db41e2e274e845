package ask

import (
	"regexp"
	"strconv"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
)

func newWhyCmd(a *app.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "why FILE:LINE|ITEM",
		Short:   "Tell why a line reads as it does, or where an item comes from",
		GroupID: "ask",
		Long: `Of a line: asks git which commit wrote it, finds the session that made the
commit (by the hash in its output, else by time and message, else by the text
that it edited) and shows what was decided there, with the quote. It says so
when it can't tell: the line isn't committed, or no session made the commit.

Of an item (its id, or its number in the last answer): its evidence and
history.

Of a file without a line: what recall files tells. Exit code 1 if there is no answer.`,
		Example: `  recall why internal/queue/backoff.go:42
  recall why k3v9t2m8qa
  recall why internal/queue/backoff.go:42 --json | jq '.sessions[0].items'`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, line := fileLine(args[0])
			switch {
			case line > 0:
				return whyLine(cmd.Context(), a, file, line, asJSON)
			case app.IsRegular(args[0]):
				return runFiles(cmd.Context(), a, args[0], false, asJSON)
			}
			return whyItem(cmd.Context(), a, args[0], asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

var lineEnd = regexp.MustCompile(`^(.+?):(\d{1,9})(?::\d+)?$`)

// fileLine parts FILE:LINE or FILE:LINE:COLUMN; 0 if it is neither. A file
// whose own name ends so is that file.
func fileLine(arg string) (string, int) {
	m := lineEnd.FindStringSubmatch(arg)
	if m == nil || app.IsRegular(arg) {
		return arg, 0
	}
	n, err := strconv.Atoi(m[2])
	if err != nil {
		return arg, 0
	}
	return m[1], n
}
