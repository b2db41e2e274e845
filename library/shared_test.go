package library_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"recall/library/disk"
)

// Lines that are appended while a file is replaced are in the new one.
func TestReplaceShared(t *testing.T) {
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
		if err := l.ReplaceShared(path, func(text []byte) ([]byte, error) {
			lines := disk.SplitLines(text)
			slices.Reverse(lines)
			return bytes.Join(append(lines, nil), []byte("\n")), nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
	once := map[string]bool{}
	text, err := disk.ReadPlain(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range disk.SplitLines(text) {
		once[string(line)] = true
	}
	if len(once) != lines+1 {
		t.Errorf("%d lines after it was replaced %d times; want %d", len(once), replaced, lines+1)
	}
}

// What is added while somebody holds on to the lock is written all the same: a hook's note is nowhere else.
func TestSharedWithoutLock(t *testing.T) {
	l := newLib(t)
	unlock, err := l.Acquire("append", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if err := l.Journal("sync", map[string]any{"n": 1}); err != nil {
		t.Fatal(err)
	}
	text, err := disk.ReadPlain(filepath.Join(l.Dir(), "journal.jsonl"))
	if err != nil || !bytes.Contains(text, []byte(`"n":1`)) {
		t.Errorf("%s, %v", text, err)
	}
}
