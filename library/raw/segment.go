// Package raw stores a session's bytes: segments, which are stretches of its files stored compressed, and the list of
// versions made from them.
//
//	raw/<offset>-<length>-<sha256>.zst   a segment, named after its content
//	raw/versions.jsonl                   which segments make up which version of which file
//
// A single segment from the first byte on needs no list: it is the conversation as archived. The list is made before a
// second segment is added. Segments never change. Everything is in a session's folder, whose lock the caller holds for
// writing.
package raw

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"recall/library/disk"
)

// A Segment is a stretch of a source's bytes, stored compressed under a name made of these fields.
type Segment struct {
	Offset, Length int64
	Sum            string // SHA-256 of the source's bytes, hex
}

func (s Segment) String() string { return fmt.Sprintf("%d-%d-%s.zst", s.Offset, s.Length, s.Sum) }

// ParseSegment parses a segment's name.
func ParseSegment(name string) (Segment, error) {
	parts := strings.Split(strings.TrimSuffix(name, ".zst"), "-")
	if len(parts) == 3 && len(parts[2]) == 2*sha256.Size {
		off, err1 := strconv.ParseInt(parts[0], 10, 64)
		n, err2 := strconv.ParseInt(parts[1], 10, 64)
		s, fits := Segment{off, n, parts[2]}, n >= 0 && n < 1<<40
		if err1 == nil && err2 == nil && fits && s.String() == name {
			return s, nil
		}
	}
	return Segment{}, fmt.Errorf("segment %q: not <offset>-<length>-<sha256>.zst", name)
}

// In lists the segments in a session's folder.
func In(folder string) []Segment {
	names, _ := disk.Glob(folder, "raw", "*.zst") // the pattern is valid
	var all []Segment
	for _, n := range names {
		if s, err := ParseSegment(filepath.Base(n)); err == nil {
			all = append(all, s)
		}
	}
	return all
}

// Path returns a segment's path in a session's folder.
func Path(folder string, s Segment) string { return filepath.Join(folder, "raw", s.String()) }

// ListPath returns the path of the list of versions in a session's folder.
func ListPath(folder string) string { return filepath.Join(folder, "raw", "versions.jsonl") }

// A Staged is a segment that is written, but not yet synced or in place.
type Staged struct {
	Segment
	Temp string
	CRC  string // CRC-32C of the file
}

// Drop removes staged segments that were not placed.
func Drop(segs ...Staged) {
	for _, s := range segs {
		disk.Unlink(s.Temp)
	}
}

// Sync makes staged segments durable.
func Sync(segs []Staged) error {
	var paths []string
	for _, s := range segs {
		paths = append(paths, s.Temp)
	}
	return disk.SyncFiles(paths)
}

// Place moves staged segments into a session's folder. An existing segment of the same name stays if its checksum is
// known, and is replaced otherwise.
func Place(segs []Staged, folder string, v *Versions) error {
	for _, s := range segs {
		target := Path(folder, s.Segment)
		if have, err := disk.SumFile(target); err == nil &&
			(have.CRC == s.CRC || slices.Contains(v.CRCs[s.String()], have.CRC)) {
			disk.Unlink(s.Temp)
			continue
		}
		if err := disk.Rename(s.Temp, target); err != nil {
			return err
		}
	}
	return nil
}

// segmentMax is the largest number of source bytes in a segment, and so the most that a rewrite within a large file
// stores again.
const segmentMax = 32 << 20

// encoders have the fastest level, which leaves 16.9 % of real transcripts at some hundred megabytes a second; the best
// leaves 14.6 % at a fifth of that speed.
var encoders = sync.Pool{New: func() any {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // only options can be wrong
	}
	return e
}}

// compressing limits the encoders in use: each holds tens of megabytes, and more than there are cores are no faster.
var compressing = make(chan struct{}, runtime.GOMAXPROCS(0))

// A Temp writes a temporary file and returns its path.
type Temp func(write func(io.Writer) error) (path string, err error)

// Stage writes all of r as one segment. At the end of r it returns a segment of length 0 without a file.
func Stage(temp Temp, r io.Reader, offset int64) (Staged, error) {
	return stage(temp, r, offset, sha256.New())
}

// StageNext writes the next stretch of r, at most 32 MB. whole continues the hash of the file.
func StageNext(temp Temp, r io.Reader, offset int64, whole hash.Hash) (Staged, error) {
	own := whole
	if offset > 0 { // the first segment's hash is the whole file's so far
		own = sha256.New()
		r = io.TeeReader(r, whole)
	}
	return stage(temp, io.LimitReader(r, segmentMax), offset, own)
}

var buffers = sync.Pool{New: func() any { b := make([]byte, 64<<10); return &b }}

func stage(temp Temp, r io.Reader, offset int64, sum hash.Hash) (Staged, error) {
	b := buffers.Get().(*[]byte)
	defer buffers.Put(b)
	n, err := io.ReadAtLeast(r, *b, 1)
	if err == io.EOF {
		return Staged{}, nil
	} else if err != nil {
		return Staged{}, err
	}
	s := Staged{Segment: Segment{Offset: offset}}
	crc := &disk.CRCWriter{}
	s.Temp, err = temp(func(w io.Writer) error {
		crc.W = w
		compressing <- struct{}{}
		defer func() { <-compressing }()
		enc := encoders.Get().(*zstd.Encoder)
		defer encoders.Put(enc)
		defer enc.Reset(nil)
		enc.Reset(crc)
		out := io.MultiWriter(enc, sum)
		if _, err := out.Write((*b)[:n]); err != nil {
			return err // Close would report it again
		}
		more, err := io.CopyBuffer(out, r, *b)
		if err != nil {
			return err
		}
		s.Length = int64(n) + more
		return enc.Close()
	})
	s.Sum, s.CRC = hex.EncodeToString(sum.Sum(nil)), disk.CRCText(crc.Sum)
	return s, err
}

// Pack compresses bytes in memory.
func Pack(data []byte) []byte {
	e := encoders.Get().(*zstd.Encoder)
	defer encoders.Put(e)
	return e.EncodeAll(data, nil)
}

var decoders = sync.Pool{New: func() any {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(128<<20))
	if err != nil {
		panic(err) // only options can be wrong
	}
	return d
}}

// Unpacked returns a reader of a stream's decompressed content; done releases the decoder.
func Unpacked(r io.Reader) (in io.Reader, done func(), err error) {
	dec := decoders.Get().(*zstd.Decoder)
	done = func() {
		dec.Reset(nil)
		decoders.Put(dec)
	}
	if err := dec.Reset(r); err != nil {
		done()
		return nil, nil, err
	}
	return dec, done, nil
}

// Unpack decompresses bytes in memory.
func Unpack(packed []byte) ([]byte, error) {
	d := decoders.Get().(*zstd.Decoder)
	defer decoders.Put(d)
	return d.DecodeAll(packed, nil)
}

// A Reader streams the content of segments in order and verifies each at its end.
type Reader struct {
	Segs   []Segment
	Reopen func() *Reader // opens the same content again after it was moved or stored again; may be nil
	At     int64          // offset in the content of the next byte to read

	open func(name string) (*os.File, error)
	seg  Segment // being read, from its beginning
	file *os.File
	dec  *zstd.Decoder
	sum  hash.Hash
	read int64
}

// Read streams segments of a session's folder.
func Read(folder string, segs ...Segment) *Reader {
	var at int64
	if len(segs) > 0 {
		at = segs[0].Offset
	}
	return &Reader{Segs: segs, At: at,
		open: func(name string) (*os.File, error) { return disk.Open(filepath.Join(folder, "raw", name)) }}
}

// ReadFile streams a segment that is in the file path.
func ReadFile(path string, s Segment) *Reader {
	return &Reader{Segs: []Segment{s}, At: s.Offset, open: func(string) (*os.File, error) { return disk.Open(path) }}
}

// ReadsBack decompresses and verifies a staged segment.
func (s Staged) ReadsBack(ctx context.Context) error {
	back := ReadFile(s.Temp, s.Segment)
	defer back.Close()
	_, err := disk.Sum(disk.Until(ctx, back))
	return err
}

func (r *Reader) Read(p []byte) (int, error) {
	for {
		if r.file == nil {
			if err := r.next(); err != nil {
				return 0, err
			}
		}
		n, err := r.dec.Read(p)
		r.sum.Write(p[:n])
		over := min(int64(n), max(0, r.At-r.seg.Offset-r.read))
		r.read += int64(n)
		damaged := r.read > r.seg.Length || err != nil && err != io.EOF ||
			err == io.EOF && (r.read != r.seg.Length || hex.EncodeToString(r.sum.Sum(nil)) != r.seg.Sum)
		if damaged {
			return 0, r.damaged(err)
		}
		if err == io.EOF {
			r.Close()
		}
		if n = copy(p, p[over:n]); n > 0 {
			r.At += int64(n)
			return n, nil
		}
	}
}

// next opens the segment that has the next byte.
func (r *Reader) next() (gone error) {
	for try := 0; ; try++ {
		i := slices.IndexFunc(r.Segs, func(s Segment) bool { return s.Offset <= r.At && r.At < s.Offset+s.Length })
		if i < 0 {
			return cmp.Or(gone, io.EOF)
		}
		f, err := r.open(r.Segs[i].String())
		if err == nil {
			r.seg, r.file, r.read, r.sum = r.Segs[i], f, 0, sha256.New()
			r.dec = decoders.Get().(*zstd.Decoder)
			return r.dec.Reset(f)
		}
		gone = fmt.Errorf("%w: %v", disk.ErrDamaged, err)
		if !errors.Is(err, fs.ErrNotExist) || r.Reopen == nil || try == 20 {
			return gone
		}
		now := r.Reopen()
		r.open, r.Segs = now.open, now.Segs
	}
}

func (r *Reader) damaged(cause error) error {
	if cause == nil || cause == io.EOF {
		cause = errors.New("its content doesn't match its name")
	}
	return fmt.Errorf("%s: %w: %v", r.file.Name(), disk.ErrDamaged, cause)
}

func (r *Reader) Close() error {
	if r.file != nil {
		r.file.Close()
		r.dec.Reset(nil)
		decoders.Put(r.dec)
		r.file, r.dec = nil, nil
	}
	return nil
}

// A SourceError is a fault of where bytes are read from, not of the library.
type SourceError struct{ err error }

func (e SourceError) Error() string { return e.err.Error() }
func (e SourceError) Unwrap() error { return e.err }

// AtSource marks an error as the source's.
func AtSource(err error) error { return SourceError{err} }

// FromSource marks errors in reading as the source's.
func FromSource(r io.Reader) io.Reader { return sourceReader{r} }

type sourceReader struct{ r io.Reader }

func (s sourceReader) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		err = AtSource(err)
	}
	return n, err
}
