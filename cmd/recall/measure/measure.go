// Package measure is the commands that measure how well recall does, and learn from what they measured.
package measure

import (
	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
)

// Commands are the commands that measure how well recall does.
func Commands(a *app.App) []*cobra.Command {
	return []*cobra.Command{
		newEvalCmd(a), newEmbedCmd(a), newCalibrateCmd(a),
	}
}
