//go:build unix

package claudecli

import (
	"os/exec"
	"syscall"
)

// tree is a process with everything it started: a process group. Its first process ends
// with recall where the system supports that; see dieWithParent.
type tree struct {
	pgid      int
	afterWait func()
}

// start starts a command as a tree that is killed when its context ends.
func start(cmd *exec.Cmd) (tree, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	afterWait := dieWithParent(cmd.SysProcAttr)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if err := cmd.Start(); err != nil {
		afterWait()
		return tree{}, err
	}
	return tree{cmd.Process.Pid, afterWait}, nil
}

// kill kills what remains of the tree after its first process has ended.
func (t tree) kill() {
	syscall.Kill(-t.pgid, syscall.SIGKILL)
	t.afterWait()
}
