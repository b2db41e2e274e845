// Package ask holds the commands that answer from the library: query, why, log, resume and so on. Of each
// command newXCmd reads its flags, runX does the work, printX shows the result.
package ask

import (
	"recall/cmd/recall/option"
)

// Commands are the commands that answer from the library.
var Commands = []option.Maker{
	newQueryCmd, newResumeCmd, newListCmd, newShowCmd, newThreadCmd, newWhyCmd, newLogCmd, newGrepCmd,
	newHandoffCmd, newHabitsCmd, newAuditCmd,
}
