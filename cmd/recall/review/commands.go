// Package review is the commands by which a person looks over and corrects what was distilled.
package review

import (
	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
)

// Commands are the commands that let a person look over and correct what was distilled.
func Commands(a *app.App) []*cobra.Command {
	return []*cobra.Command{
		newEditCmd(a), newReviewCmd(a), newWrapUpCmd(a), newRelateCmd(a),
	}
}
