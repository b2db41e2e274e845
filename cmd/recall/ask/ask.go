// Package ask is the commands that answer from what is kept: query, why, log, resume and the like. A file is a command:
// newXCmd reads its flags, runX does it, printX shows the result.
package ask

import (
	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
)

// Commands are the commands that answer from what is kept.
func Commands(a *app.App) []*cobra.Command {
	return []*cobra.Command{
		newQueryCmd(a), newResumeCmd(a), newListCmd(a), newShowCmd(a), newThreadCmd(a), newErrorCmd(a),
		newWhyCmd(a), newLogCmd(a), newGrepCmd(a), newFollowCmd(a), newPrepareCmd(a), newHandoffCmd(a),
		newRepeatsCmd(a), newPickCmd(a),
	}
}
