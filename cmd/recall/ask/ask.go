// Package ask holds the commands that answer from the library: query, why, log, resume and so on. Each file is a
// command: newXCmd reads its flags, runX does the work, printX shows the result.
package ask

import "recall/cmd/recall/option"

// Commands are the commands that answer from the library.
var Commands = option.Makers{
	"query": newQueryCmd, "resume": newResumeCmd, "list": newListCmd, "show": newShowCmd, "thread": newThreadCmd,
	"why": newWhyCmd, "log": newLogCmd, "grep": newGrepCmd,
	"handoff": newHandoffCmd, "repeats": newRepeatsCmd, "pick": newPickCmd,
}
