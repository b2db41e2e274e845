package main

import "github.com/spf13/cobra"

// keepCommands are the commands that take sessions in and keep them.
func keepCommands(a *app) []*cobra.Command {
	return []*cobra.Command{
		a.syncCmd(), a.archiveCmd(), a.reindexCmd(), a.redistillCmd(), a.restoreCmd(), a.guardCmd(),
		a.forgetCmd(), a.exportCmd(), a.backupCmd(), a.importCmd(), a.verifyCmd(), a.repairCmd(),
		a.restCmd(), a.manifestCmd(), a.cleanupCmd(), a.rebuildCmd(), a.projectCmd(), a.inspectCmd(),
	}
}
