//go:build unix

package claudecli

import (
	"os/exec"
	"syscall"
)

// tree is a process and all that it started: a process group. Its first process
// ends with recall where the system sees to that; see withUs.
type tree struct {
	pgid   int
	waited func()
}

// start starts a command as a tree. The end of its context ends the tree.
func start(cmd *exec.Cmd) (tree, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	waited := withUs(cmd.SysProcAttr)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if err := cmd.Start(); err != nil {
		waited()
		return tree{}, err
	}
	return tree{cmd.Process.Pid, waited}, nil
}

// kill ends what is left of the tree after its first process has ended.
func (t tree) kill() {
	syscall.Kill(-t.pgid, syscall.SIGKILL)
	t.waited()
}
