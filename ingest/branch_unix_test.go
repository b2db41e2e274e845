//go:build unix

package ingest

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A pipe where git keeps a file is waited for by nobody.
func TestBranchOfPipes(t *testing.T) {
	for _, name := range []string{".git", ".git/HEAD"} {
		dir := t.TempDir()
		pipe := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(pipe), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		done := make(chan string, 1)
		go func() { done <- branchOf(dir) }()
		select {
		case b := <-done:
			if b != "" {
				t.Errorf("%s: got %q", name, b)
			}
		case <-time.After(time.Minute):
			t.Errorf("%s: waited for", name)
		}
	}
}
