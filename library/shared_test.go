package library_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	. "recall/library"
	"recall/library/disk"
)

// Lines that are appended while a file is replaced are in the new one.
func TestReplaceShared(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file can't be replaced there")
	}
	l := newLib(t)
	path := filepath.Join(l.Dir(), "journal.jsonl")
	if err := l.Journal("first", nil); err != nil {
		t.Fatal(err)
	}
	const lines = 400
	var wg sync.WaitGroup
	done := make(chan struct{})
	wg.Go(func() {
		defer close(done)
		for n := range lines {
			if err := l.Journal("sync", map[string]any{"n": n}); err != nil {
				t.Error(err)
				return
			}
		}
	})
	replaced := 0
	for more := true; more; replaced++ {
		select {
		case <-done:
			more = false
		default:
		}
		text, err := os.ReadFile(path)
		if err == nil {
			err = ReplaceLines(l, path, text, text[:bytes.LastIndexByte(text, '\n')+1], nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
	got, err := disk.WholeLines(path)
	once := map[string]bool{}
	for _, line := range got {
		once[string(line)] = true
	}
	if err != nil || len(once) != lines+1 {
		t.Errorf("%d lines after it was replaced %d times, %v; want %d", len(once), replaced, err, lines+1)
	}
}
