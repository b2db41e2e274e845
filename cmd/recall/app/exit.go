package app

import (
	"fmt"
)

// Exit codes, as grep has them; documented in the help of the root command.
const (
	ExitOK      = 0
	ExitNothing = 1 // nothing that answers the question; nothing found; not done
	ExitError   = 2
	ExitPartial = 3 // done, with sessions skipped
)

// ExitCode ends a command that has already said all there is to say.
type ExitCode int

func (c ExitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }
