// Package ask holds the commands that answer from the library: query, why, log, resume and so on. Of each
// command newXCmd reads its flags, runX does the work, printX shows the result.
package ask

import (
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
)

// Commands are the commands that answer from the library.
var Commands = []option.Maker{
	newQueryCmd, newResumeCmd, newListCmd, newShowCmd, newThreadCmd, newWhyCmd, newLogCmd, newGrepCmd,
	newHandoffCmd, newHabitsCmd, newAuditCmd,
}

// show prints a document, as JSON or as a page. If nothing is set, it returns the exit code for that.
func show(a *app.App, doc any, asJSON, nothing bool, print func(p *terminal.Page)) error {
	if asJSON {
		if err := a.PrintJSON(doc); err != nil {
			return err
		}
	} else {
		page := a.Page()
		print(&page)
	}
	if nothing {
		return app.ExitCode(app.ExitNothing)
	}
	return nil
}
