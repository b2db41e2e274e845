// Package keep is the commands that take sessions in, keep them whole, give them back and forget them.
package keep

import (
	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
)

// Commands are the commands that take sessions in and keep them.
func Commands(a *app.App) []*cobra.Command {
	return []*cobra.Command{
		newSyncCmd(a), newArchiveCmd(a), newReindexCmd(a), newRedistillCmd(a), newRestoreCmd(a), newGuardCmd(a),
		newForgetCmd(a), newExportCmd(a), newBackupCmd(a), newImportCmd(a), newVerifyCmd(a), newRepairCmd(a),
		newRestCmd(a), newManifestCmd(a), newCleanupCmd(a), newRebuildCmd(a), newProjectCmd(a), newInspectCmd(a),
	}
}
