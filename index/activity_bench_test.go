package index

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
)

// BenchmarkDid asks an index of 10,000 sessions, each with 20 files of 2,000
// and 5 errors of 20,000, who touched a file, and for an error: the very one,
// and one that shares its words.
func BenchmarkDid(b *testing.B) {
	ctx := context.Background()
	x, err := Open(filepath.Join(b.TempDir(), "index.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	for s := 0; s < 10_000; s += 500 {
		var docs []Doc
		for i := s; i < s+500; i++ {
			var pairs []string
			for k := range 20 {
				n := (i*7 + k*31) % 2000
				pairs = append(pairs, fmt.Sprintf("cat src/d%d/f%d.go", n%40, n), "")
			}
			docs = append(docs, did(fmt.Sprintf("s%05d", i), 1+i%28, pairs...))
		}
		if err := x.PutAll(ctx, docs); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("files", func(b *testing.B) {
		for b.Loop() {
			if all, err := x.Files(ctx, "f17.go"); err != nil || len(all) == 0 {
				b.Fatal(len(all), err)
			}
		}
	})
}
