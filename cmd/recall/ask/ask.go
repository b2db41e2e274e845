// Package ask holds the commands that answer from the library: query, why, log, resume and so on. Each file is a
// command: newXCmd reads its flags, runX does the work, printX shows the result.
package ask

import (
	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
)

// Commands returns the commands that answer from the library.
func Commands(a *app.App) []*cobra.Command {
	return []*cobra.Command{
		newQueryCmd(a), newResumeCmd(a), newListCmd(a), newShowCmd(a), newThreadCmd(a), newErrorCmd(a),
		newWhyCmd(a), newLogCmd(a), newGrepCmd(a), newFollowCmd(a), newPrepareCmd(a), newHandoffCmd(a),
		newRepeatsCmd(a), newPickCmd(a),
	}
}
