package claudecli

import (
	"os/exec"
	"strconv"
)

// killsAll returns what kills a command, once it is started, with everything it started.
func killsAll(cmd *exec.Cmd) func() error {
	return func() error {
		if cmd.ProcessState != nil { // its id may be another's by now
			return nil
		}
		return exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run()
	}
}
