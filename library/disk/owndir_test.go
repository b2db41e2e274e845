package disk

import (
	"os"
	"path/filepath"
	"testing"
)

// A folder that others tidy away all the while can be had all the same.
func TestOwnDirTidiedAway(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".tmp")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 20_000 {
			os.Remove(dir)
		}
	}()
	for {
		if err := OwnDir(dir); err != nil {
			t.Fatal(err)
		}
		select {
		case <-done:
			return
		default:
		}
	}
}
