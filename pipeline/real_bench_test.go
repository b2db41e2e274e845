package pipeline_test

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"recall/distill/offline"
)

// BenchmarkSyncReal is BenchmarkSync over real transcripts, each as often and
// under as many ids as make up the size.
func BenchmarkSyncReal(b *testing.B) {
	shared := os.Getenv("RECALL_SHARED")
	if shared == "" {
		b.Skip("RECALL_SHARED isn't set")
	}
	dev, root := filepath.Join(shared, "transcripts", "dev"), b.TempDir()
	for copied, n := int64(0), 0; copied < benchBytes(); n++ {
		copied += copyAnew(b, dev, filepath.Join(root, fmt.Sprint(n)), n)
	}
	benchmarkSync(b, root, offline.Distiller{})
}

// aWord stands in most sentences.
var aWord = regexp.MustCompile(` (?:the|to|a|and|in|is|for|with|of) `)

var anyID = regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`)

// copyAnew copies the transcripts of a folder, with other ids for each n in
// the files and in their names, and a word more in most sentences: what
// another session's payload says, letter for letter, would count as pasted from
// there. It returns the bytes.
func copyAnew(b *testing.B, from, to string, n int) (copied int64) {
	other := func(id []byte) []byte {
		h := fnv.New64a()
		fmt.Fprint(h, n)
		h.Write(id)
		sum := fmt.Sprintf("%x", binary.BigEndian.AppendUint64(nil, h.Sum64()))
		return append([]byte(sum[:8]+"-"+sum[8:12]), id[13:]...)
	}
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".jsonl" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		name = filepath.Join(to, string(anyID.ReplaceAllFunc([]byte(name), other)))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		copied += int64(len(data))
		data = aWord.ReplaceAllFunc(anyID.ReplaceAllFunc(data, other),
			func(w []byte) []byte { return fmt.Appendf(w, "n%d ", n) })
		return os.WriteFile(name, data, 0o600)
	})
	if err != nil {
		b.Fatal(err)
	}
	return copied
}
