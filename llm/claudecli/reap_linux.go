package claudecli

import (
	"runtime"
	"syscall"
)

// withUs has a process end when recall does, however that ends. The system means
// the thread that started it, which so is kept until the process is waited for.
func withUs(attr *syscall.SysProcAttr) (waited func()) {
	runtime.LockOSThread()
	attr.Pdeathsig = syscall.SIGKILL
	return runtime.UnlockOSThread
}
