package claudecli

import (
	"runtime"
	"syscall"
)

// dieWithParent makes a process end when recall does, for whatever reason. Linux ties this to the thread that
// started the process, so the thread is locked until the process has been waited for.
func dieWithParent(attr *syscall.SysProcAttr) (afterWait func()) {
	runtime.LockOSThread()
	attr.Pdeathsig = syscall.SIGKILL
	return runtime.UnlockOSThread
}
