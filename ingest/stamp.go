package ingest

import (
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"strconv"
)

// Stamp tells content from what was written over it with the same size and time: when the system saw it change, which
// no program can set, or else a hash of how the file begins and ends; "" where neither can be had.
func Stamp(path string, fi fs.FileInfo) string {
	if at, ok := changedAt(fi); ok {
		return strconv.FormatInt(at, 36)
	}
	return ends(path, fi.Size())
}

// endsRead is how much of a file's beginning, and of its end, is read.
const endsRead = 2 << 10

// ends hashes how a file begins and ends. Where it can't be read, who takes its bytes finds out why.
func ends(path string, size int64) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := fnv.New64a()
	for _, at := range []int64{0, max(0, size-endsRead)} {
		if _, err := io.Copy(h, io.NewSectionReader(f, at, min(endsRead, size))); err != nil {
			return ""
		}
	}
	return "~" + strconv.FormatUint(h.Sum64(), 36)
}
