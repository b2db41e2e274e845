package main

import "github.com/spf13/cobra"

// reviewCommands are the commands that let a person look over and correct what was distilled.
func reviewCommands(a *app) []*cobra.Command {
	return []*cobra.Command{
		a.editCmd(), a.reviewCmd(), a.wrapUpCmd(), a.relateCmd(),
	}
}
