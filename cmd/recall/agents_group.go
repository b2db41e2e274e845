package main

import "github.com/spf13/cobra"

// agentsCommands are the commands that serve Claude Code and other agents.
func agentsCommands(a *app) []*cobra.Command {
	return []*cobra.Command{
		a.hookCmd(), a.hooksCmd(), a.mcpCmd(),
	}
}
