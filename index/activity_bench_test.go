package index

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"recall/ingest/trace"
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
			for k := range 5 {
				pairs = append(pairs, "make", fmt.Sprintf("Exit code 2\nerror: symbol %s isn't defined", name((i*5+k)%20_000)))
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
	b.Run("same", func(b *testing.B) {
		sig := []int64{trace.Signature("error: symbol " + name(77) + " isn't defined")}
		for b.Loop() {
			if all, err := x.Faults(ctx, sig); err != nil || len(all) == 0 {
				b.Fatal(len(all), err)
			}
		}
	})
	b.Run("similar", func(b *testing.B) {
		for b.Loop() {
			found := 0
			all, err := x.FaultTexts(ctx)
			for _, f := range all {
				if strings.Contains(strings.ToLower(f.Text), strings.ToLower(name(77))) {
					found++
				}
			}
			if err != nil || found == 0 {
				b.Fatal(found, err)
			}
		}
	})
}

// name is a word for a number: digits would be masked.
func name(n int) string {
	var b strings.Builder
	for range 5 {
		b.WriteByte(byte('a' + n%26))
		n = n/26 + 3
	}
	return b.String() + "Symbol"
}
