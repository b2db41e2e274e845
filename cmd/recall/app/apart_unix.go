//go:build !windows

package app

import (
	"syscall"
)

// apart makes a process one of its own session: closing the terminal or Ctrl-C
// there doesn't end it.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
