package main

import "github.com/spf13/cobra"

// askCommands are the commands that answer from what is kept.
func askCommands(a *app) []*cobra.Command {
	return []*cobra.Command{
		a.queryCmd(), a.resumeCmd(), a.listCmd(), a.showCmd(), a.threadCmd(), a.filesCmd(), a.fixCmd(),
		a.whyCmd(), a.logCmd(), a.changedCmd(), a.openCmd(), a.progressCmd(), a.briefCmd(), a.handoffCmd(),
		a.actionsCmd(), a.habitsCmd(),
	}
}
