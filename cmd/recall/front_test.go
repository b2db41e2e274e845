package main

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
)

// As many commands as a person can look through.
func TestFewCommands(t *testing.T) {
	root := rootCmd(&app.App{})
	root.InitDefaultHelpCmd()
	shown := slices.DeleteFunc(slices.Clone(root.Commands()), func(c *cobra.Command) bool { return c.Hidden })
	if len(shown) > 40 {
		t.Errorf("recall help all lists %d commands, want at most 40", len(shown))
	}
	first := 0
	for _, group := range front {
		first += len(group.commands)
	}
	if first > 14 {
		t.Errorf("recall --help shows %d commands, want at most 14", first)
	}
}
