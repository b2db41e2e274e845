//go:build unix

package claudecli

import (
	"os/exec"
	"syscall"
)

// killsAll returns what kills a command, once it is started, with everything it started: its process group.
func killsAll(cmd *exec.Cmd) func() error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
