//go:build unix

package claudecode

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"recall/ingest"
)

// A pipe that is named, or stands among the sessions, isn't opened: nobody may
// ever write to it.
func TestFindPipe(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "5f1c0000-0000-4000-8000-000000000001.jsonl")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan []ingest.Problem, 1)
	go func() {
		_, named := Reader{}.Find(t.Context(), pipe, nil)
		_, below := Reader{}.Find(t.Context(), dir, nil)
		if len(below) != 1 {
			t.Errorf("below a folder: %v, want that it isn't followed", below)
		}
		done <- named
	}()
	select {
	case problems := <-done:
		if len(problems) != 1 || !strings.Contains(problems[0].Reason(), "neither a file nor a folder") {
			t.Errorf("got %v, want that it is no file", problems)
		}
	case <-time.After(time.Minute):
		t.Fatal("it waits for somebody to write")
	}
}
