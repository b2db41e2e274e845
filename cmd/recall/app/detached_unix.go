//go:build !windows

package app

import (
	"os/signal"
	"syscall"
)

// ReadAnyway makes reading from the terminal fail in the background instead of stopping the program.
func ReadAnyway() { signal.Ignore(syscall.SIGTTIN) }

// detached starts a process in its own session: closing the terminal or Ctrl-C there doesn't end it.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
