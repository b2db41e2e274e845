//go:build !windows

package main

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"recall/hint"
)

func TestFullDiskHint(t *testing.T) {
	err := &os.PathError{Op: "write", Path: "/x", Err: syscall.ENOSPC}
	if got := hint.Of(err); !strings.Contains(got, "make room") {
		t.Errorf("got hint %q, want one about room", got)
	}
	err.Err = syscall.EROFS
	if got := hint.Of(err); !strings.Contains(got, "only be read") {
		t.Errorf("got hint %q, want one about a disk that can only be read", got)
	}
}
