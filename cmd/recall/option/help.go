package option

import (
	"embed"
	"strings"

	"github.com/spf13/cobra"
)

// helps are what commands say of themselves at length, a file a command: recall eval label's is eval-label.txt. What
// stands below the line "Examples:" are its examples.
//
//go:embed help/*.txt
var helps embed.FS

// Explain gives a command and those below it their help.
func Explain(cmd *cobra.Command) {
	name := strings.ReplaceAll(strings.TrimPrefix(cmd.CommandPath(), "recall "), " ", "-")
	if text, err := helps.ReadFile("help/" + name + ".txt"); err == nil {
		long, examples, _ := strings.Cut("\n"+string(text), "\nExamples:\n")
		if long = strings.TrimSpace(long); long != "" {
			cmd.Long = long
		}
		cmd.Example = strings.TrimRight(examples, "\n")
	}
	for _, sub := range cmd.Commands() {
		Explain(sub)
	}
}
