//go:build !windows

package app

import (
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// ReadAnyway makes reading from the terminal fail in the background instead of stopping the program.
func ReadAnyway() { signal.Ignore(syscall.SIGTTIN) }

// detached starts a process in its own session: closing the terminal or Ctrl-C there doesn't end it.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// Yield gives other programs precedence, if this process has a group of its own, as one in the background has.
func Yield() {
	if unix.Getpgrp() == unix.Getpid() {
		_ = unix.Setpriority(unix.PRIO_PGRP, 0, 10) // of all threads; it may go without
	}
}
