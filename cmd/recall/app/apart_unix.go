//go:build !windows

package app

import (
	"os/signal"
	"syscall"
)

// ReadAnyway has reading from the terminal fail in the background, rather than stop the program.
func ReadAnyway() { signal.Ignore(syscall.SIGTTIN) }

// apart makes a process one of its own session: closing the terminal or Ctrl-C
// there doesn't end it.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
