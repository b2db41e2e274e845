package index

import (
	"path/filepath"
	"sync"
	"testing"
)

// Several that find no index make it at the same time; each gets it.
func TestMadeTogether(t *testing.T) {
	for range 10 {
		path := filepath.Join(t.TempDir(), "index.db")
		var all sync.WaitGroup
		begin := make(chan struct{})
		for range 8 {
			all.Go(func() {
				<-begin
				x, err := Open(path)
				if err != nil {
					t.Error(err)
					return
				}
				x.Close()
			})
		}
		close(begin)
		all.Wait()
	}
}
