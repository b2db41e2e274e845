package hint

import "golang.org/x/sys/windows"

// noRoom has the error of a full disk.
var noRoom = []error{windows.ERROR_DISK_FULL}
