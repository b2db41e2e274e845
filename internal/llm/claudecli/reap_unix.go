//go:build unix && !linux

package claudecli

import "syscall"

// dieWithParent does nothing on this system: if recall is killed, the program continues until it
// has its answer or times out (API_TIMEOUT_MS).
func dieWithParent(*syscall.SysProcAttr) (afterWait func()) { return func() {} }
