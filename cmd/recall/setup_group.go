package main

import "github.com/spf13/cobra"

// setupCommands are the commands that set recall up and say how it stands.
func setupCommands(a *app) []*cobra.Command {
	return []*cobra.Command{
		a.initCmd(), a.demoCmd(), a.configCmd(), a.scheduleCmd(), a.scheduledCmd(), a.statusCmd(),
		a.usageCmd(),
	}
}
