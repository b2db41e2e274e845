// Package option holds what commands share on the command line: help pages, flags that check their values when parsed,
// completion, and readable errors about arguments.
package option

import (
	"embed"
	"strings"

	"github.com/spf13/cobra"
)

// pages holds the help page of each command: that of recall project list is project-list.txt. A page begins with the
// usage line and a short description, followed by lines such as its group in recall help all, "hidden" for commands
// meant for scripts and other programs, and "paged" if its output can be long. After a blank line comes the long
// description, and after "Examples:" the examples.
//
//go:embed help/*.txt
var pages embed.FS

// Paged annotates a command whose output can be long and that asks nothing while it runs.
var Paged = map[string]string{"paged": "yes"}

// Command makes a command from its page; flags, which may be nil, declares its flags.
func Command(name string, flags func(*Flags), run func(cmd *cobra.Command, args []string) error) *cobra.Command {
	text, err := pages.ReadFile("help/" + name + ".txt")
	if err != nil {
		panic(err) // a command without a page
	}
	head, rest, _ := strings.Cut(string(text), "\n\n")
	long, examples, _ := strings.Cut("\n"+rest, "\nExamples:\n")
	lines := strings.Split(strings.TrimSpace(head), "\n")
	cmd := &cobra.Command{Use: lines[0], Short: lines[1], Long: strings.TrimSpace(long),
		Example: strings.TrimRight(examples, "\n"), RunE: run}
	for _, line := range lines[2:] {
		switch what, words, _ := strings.Cut(line, ": "); what {
		case "also":
			cmd.Aliases = strings.Fields(words)
		case "meant by":
			cmd.SuggestFor = strings.Fields(words)
		case "group":
			cmd.GroupID = words
		case "paged":
			cmd.Annotations = Paged
		case "hidden":
			cmd.Hidden = true
		}
	}
	if flags != nil {
		flags(&Flags{cmd.Flags(), cmd})
	}
	return cmd
}
