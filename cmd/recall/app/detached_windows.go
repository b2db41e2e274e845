package app

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// ReadAnyway does nothing: Windows doesn't stop programs that read in the background.
func ReadAnyway() {}

// detached starts a process without the console: closing it doesn't end the process.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true,
		CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP}
}

// Yield gives other programs precedence.
func Yield() {
	_ = windows.SetPriorityClass(windows.CurrentProcess(), windows.BELOW_NORMAL_PRIORITY_CLASS) // it may go without
}
