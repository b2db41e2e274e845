//go:build unix && !linux

package claudecli

import "syscall"

// withUs has no means here: a program whose recall was killed goes on until it
// has its answer, or gives up by itself (API_TIMEOUT_MS).
func withUs(*syscall.SysProcAttr) (waited func()) { return func() {} }
