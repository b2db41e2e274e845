package app

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// ReadAnyway does nothing: nothing stops a program that reads in the background.
func ReadAnyway() {}

// apart makes a process one without the console: closing it doesn't end it.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true,
		CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP}
}
