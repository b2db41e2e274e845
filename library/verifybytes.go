package library

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"os"
	"slices"

	"github.com/klauspost/compress/zstd"

	"recall/library/disk"
)

// checkLines says what is wrong with an append-only file, "" if nothing is. A
// torn last line is no damage: its write was cut off.
func checkLines(text []byte, sealed bool) (what string, state FindingState) {
	n, end := 0, bytes.LastIndexByte(text, '\n')+1
	var bad []int
	for line := range bytes.Lines(text[:end]) {
		n++
		if line = bytes.TrimSuffix(line, []byte("\n")); len(line) == 0 || lineIsGood(line, sealed) {
			continue
		}
		bad = append(bad, n)
	}
	tail := text[end:]
	whole := disk.Unended(tail)
	switch {
	case len(bad) == 1:
		return fmt.Sprintf("line %d isn't as it was written", bad[0]), Damaged
	case len(bad) > 1:
		return fmt.Sprintf("%d lines aren't as they were written, the first of them line %d", len(bad), bad[0]), Damaged
	case whole != nil && len(whole) < len(tail):
		return fmt.Sprintf("the end of line %d isn't as it was written", n+1), Damaged
	case len(tail) > 0 && whole == nil:
		return fmt.Sprintf("line %d was cut off while it was written", n+1), Unfinished
	}
	return "", ""
}

func lineIsGood(line []byte, sealed bool) bool {
	switch disk.SealOf(line) {
	case disk.SealGood:
		return true
	case disk.SealBad:
		return false
	}
	return (!sealed || line[0] != '{') && json.Valid(line) // only an object carries a checksum
}

// storedOtherwise is the error of a segment whose content is right, in a file
// that isn't as it was stored.
type storedOtherwise struct{ error }

// An unpacker reads segments one after the other and keeps what it needs for
// that.
type unpacker struct {
	dec *zstd.Decoder
	buf []byte
}

func newUnpacker() *unpacker { return &unpacker{buf: make([]byte, 256<<10)} }

func (u *unpacker) close() {
	if u.dec != nil {
		u.dec.Reset(nil)
		decoders.Put(u.dec)
	}
}

// check reads one segment's file and says how many bytes it read of it, how
// many came out, and what is wrong.
func (u *unpacker) check(path string, s storedSegment, quick bool) (stored, source int64, err error) {
	f, err := disk.Open(path)
	if err != nil {
		return 0, 0, plain(err)
	}
	defer f.Close()
	in := &crcReader{r: f}
	if quick {
		stored, err = io.CopyBuffer(io.Discard, struct{ io.Reader }{in}, u.buf)
	} else {
		var sum hash.Hash
		sum, source, err = u.unpack(in, s.Length)
		stored = in.n
		if err == nil && (source != s.Length || hex.EncodeToString(sum.Sum(nil)) != s.Sum) {
			err = fmt.Errorf("other content than its name says")
		}
	}
	switch {
	case err != nil:
		return stored, source, err
	case len(s.crcs) == 0 || slices.Contains(s.crcs, disk.CRCText(in.sum)):
		return stored, source, nil
	case quick:
		return stored, source, fmt.Errorf("the file isn't as it was stored")
	}
	return stored, source, storedOtherwise{fmt.Errorf("the file isn't as it was stored, but its content is right")}
}

// unpack hashes what comes out, a little more than want at most.
func (u *unpacker) unpack(in io.Reader, want int64) (hash.Hash, int64, error) {
	if u.dec == nil {
		u.dec = decoders.Get().(*zstd.Decoder)
	}
	sum := sha256.New()
	if err := u.dec.Reset(in); err != nil {
		return sum, 0, err
	}
	n, err := io.CopyBuffer(struct{ io.Writer }{sum}, struct{ io.Reader }{io.LimitReader(u.dec, want+1)}, u.buf)
	if err != nil {
		return sum, n, err
	}
	_, err = io.CopyBuffer(io.Discard, struct{ io.Reader }{in}, u.buf) // what stands behind the frame
	return sum, n, err
}

// crcReader sums what passes.
type crcReader struct {
	r   io.Reader
	sum uint32
	n   int64
}

func (c *crcReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.sum = crc32.Update(c.sum, disk.Castagnoli, p[:n])
	c.n += int64(n)
	return n, err
}

// plain is a file system's error without the path, which the finding has.
func plain(err error) error {
	if p, ok := err.(*os.PathError); ok {
		return p.Err
	}
	return err
}
