//go:build !windows

package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/ingest"
	"recall/internal/hint"
)

// A disk without room skips all that is left: that is told once, with the way out, and hides nothing else.
func TestFullDiskIsTold(t *testing.T) {
	var said strings.Builder
	a := &app.App{Console: terminal.Console{Err: &said}}
	full := &os.PathError{Op: "write", Path: "/lib/.tmp/1", Err: syscall.ENOSPC}
	a.PrintProblems([]ingest.Problem{{Path: "/a", Err: fmt.Errorf("archive a: %w", full)},
		{Path: "/b", Err: fmt.Errorf("archive b: %w", full)}, {Path: "/d", Err: errors.New("no session")}})
	reportError(a, full)
	const want = `recall: skipped: /a: archive a: write /lib/.tmp/1: no space left on device
recall: skipped: /b: archive b: write /lib/.tmp/1: no space left on device
recall: skipped: /d: no session
recall: hint: free some space on that disk and run it again: nothing is lost
recall: error: write /lib/.tmp/1: no space left on device
`
	if said.String() != want {
		t.Errorf("got %s, want %s", said.String(), want)
	}
}

func TestFullDiskHint(t *testing.T) {
	err := &os.PathError{Op: "write", Path: "/x", Err: syscall.ENOSPC}
	if got := hint.Of(err); !strings.Contains(got, "free some space") {
		t.Errorf("got hint %q, want one about space", got)
	}
	err.Err = syscall.EROFS
	if got := hint.Of(err); !strings.Contains(got, "read-only") {
		t.Errorf("got hint %q, want one about a disk that can only be read", got)
	}
}
