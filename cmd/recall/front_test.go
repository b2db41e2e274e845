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

// A command made alone, because it was asked for, is the one that there is among all.
func TestOneCommand(t *testing.T) {
	all := rootCmd(&app.App{})
	for _, group := range makers {
		for name := range group {
			for _, args := range [][]string{{name}, {"--library", "query", name, "status"}} {
				one := rootCmd(&app.App{}, args...)
				names := ""
				for _, c := range one.Commands() {
					names += c.Name()
				}
				c, _, err := all.Find([]string{name})
				if names != name || err != nil || c == all || c.UsageString() != one.Commands()[0].UsageString() {
					t.Errorf("%q makes %s, %v", args, names, err)
				}
			}
		}
	}
	for _, args := range [][]string{nil, {"help", "query"}, {"--version", "query"}, {"nosuch"}, {"__complete", "query"}} {
		if n := len(rootCmd(&app.App{}, args...).Commands()); n < 40 {
			t.Errorf("%q makes %d commands, want all", args, n)
		}
	}
}
