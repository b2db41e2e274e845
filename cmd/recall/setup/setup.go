// Package setup is the commands that set recall up, have it run by itself, and say how it stands.
package setup

import (
	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
)

// Commands are the commands that set recall up and say how it stands.
func Commands(a *app.App) []*cobra.Command {
	return []*cobra.Command{
		newInitCmd(a), newDemoCmd(a), newConfigCmd(a), newScheduleCmd(a), newScheduledCmd(a), newStatusCmd(a),
		newUsageCmd(a),
	}
}
