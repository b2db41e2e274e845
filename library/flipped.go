package library

import (
	"math/bits"
	"os"
	"path/filepath"
)

// mostFlipped bits are what a fault changes at once; an edited letter may be one too: the file's time must bear it out.
const mostFlipped = 3

// Flipped reports whether a payload.md was damaged rather than edited: a few bits differ, and nobody has written to it
// since payload.json was, which is written after it.
func Flipped(folder string, written, now []byte) bool {
	if len(written) != len(now) {
		return false
	}
	n := 0
	for i := range now {
		if n += bits.OnesCount8(written[i] ^ now[i]); n > mostFlipped {
			return false
		}
	}
	if n == 0 {
		return false
	}
	page, err := os.Stat(filepath.Join(folder, "payload.md"))
	if err != nil {
		return false
	}
	record, err := os.Stat(filepath.Join(folder, "payload.json"))
	return err == nil && !page.ModTime().After(record.ModTime())
}
