package space

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"recall/library"
)

// Where there is no time to count all files, what a part of them takes tells of the whole.
func TestDiskOfMany(t *testing.T) {
	dir := t.TempDir()
	var entries []library.Entry
	exact := int64(0)
	for i := range 6 * sessionsCounted {
		e := library.Entry{Folder: filepath.Join(dir, fmt.Sprint("p", i%7), fmt.Sprint("s", i))}
		if err := os.MkdirAll(e.Folder, 0o700); err != nil {
			t.Fatal(err)
		}
		size := 1000 + 37*(i%101) // a fifth of its source
		e.Files = []library.FileState{{Size: int64(5 * size)}}
		if err := os.WriteFile(filepath.Join(e.Folder, "raw"), bytes.Repeat([]byte{1}, size), 0o600); err != nil {
			t.Fatal(err)
		}
		exact += int64(size)
		entries = append(entries, e)
	}
	const beside = 300_000 // what belongs to no session is counted whole, wherever it lies
	if err := os.WriteFile(filepath.Join(dir, "p6", "z"), make([]byte, beside), 0o600); err != nil {
		t.Fatal(err)
	}
	exact += beside
	if got := Of(dir, entries[:sessionsCounted]); got.Bytes != exact || !got.Whole {
		t.Errorf("of few: got %+v, want all of %d bytes", got, exact)
	}
	got := Of(dir, entries)
	if off := float64(got.Bytes)/float64(exact) - 1; off < -0.02 || off > 0.02 || got.Whole {
		t.Errorf("of many: got %+v, want about %d bytes", got, exact)
	}
}
