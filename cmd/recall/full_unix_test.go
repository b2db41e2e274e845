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
}
