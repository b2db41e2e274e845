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
	once := map[string]bool{}
	for line, err := range disk.EachLine(path) {
		if err != nil {
			t.Fatal(err)
		}
		once[string(line)] = true
	}
	if len(once) != lines+1 {
		t.Errorf("%d lines after it was replaced %d times; want %d", len(once), replaced, lines+1)
	}
}
