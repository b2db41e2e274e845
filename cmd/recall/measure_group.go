package main

import "github.com/spf13/cobra"

// measureCommands are the commands that measure how well recall does.
func measureCommands(a *app) []*cobra.Command {
	return []*cobra.Command{
		a.evalCmd(), a.embedCmd(), a.calibrateCmd(),
	}
}
