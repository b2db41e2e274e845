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
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"recall/library/disk"
)

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
