//go:build !windows

package hint

import "syscall"

// noRoom has the errors that mean no space left: a full disk, a quota, or a limit on file size.
var noRoom = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}
