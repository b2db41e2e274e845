package raw

import (
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

// Unpacked is what a compressed stream holds; done gives back what it was read with.
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

// Unpack is Unpacked of bytes in memory.
func Unpack(packed []byte) ([]byte, error) {
	d := decoders.Get().(*zstd.Decoder)
	defer decoders.Put(d)
	return d.DecodeAll(packed, nil)
}

// A Reader streams the content of segments one after the other and checks each
// at its end.
type Reader struct {
	Open func(name string) (*os.File, error)
	Segs []Segment
	Anew func() []Segment // the version's segments as they are now: it may be packed meanwhile; or nil
	Skip int64            // bytes of the first segment to pass over

	file *os.File
	dec  *zstd.Decoder
	sum  hash.Hash
	read int64
}

// Read streams segments that lie in a session's folder.
func Read(folder string, segs ...Segment) *Reader {
	return &Reader{Segs: segs,
		Open: func(name string) (*os.File, error) { return disk.Open(filepath.Join(folder, "raw", name)) }}
}

// ReadFile streams a segment that lies somewhere else.
func ReadFile(path string, s Segment) *Reader {
	return &Reader{Segs: []Segment{s}, Open: func(string) (*os.File, error) { return disk.Open(path) }}
}

// ReadsBack unpacks a staged segment and compares.
func (s Staged) ReadsBack(ctx context.Context) error {
	back := ReadFile(s.Temp, s.Segment)
	defer back.Close()
	_, err := disk.Sum(disk.Until(ctx, back))
	return err
}

func (r *Reader) Read(p []byte) (int, error) {
	for {
		if r.file == nil {
			if len(r.Segs) == 0 {
				return 0, io.EOF
			}
			if err := r.next(); err != nil {
				return 0, err
			}
		}
		n, err := r.dec.Read(p)
		r.sum.Write(p[:n])
		r.read += int64(n)
		if r.read > r.Segs[0].Length || (err != nil && err != io.EOF) {
			return 0, r.damaged(err)
		}
		if err == io.EOF {
			if r.read != r.Segs[0].Length || hex.EncodeToString(r.sum.Sum(nil)) != r.Segs[0].Sum {
				return 0, r.damaged(nil)
			}
			r.endSegment()
			r.Segs = r.Segs[1:]
		}
		if r.Skip > 0 {
			over := min(r.Skip, int64(n))
			n = copy(p, p[over:n])
			r.Skip -= over
		}
		if n > 0 {
			return n, nil
		}
	}
}

func (r *Reader) next() error {
	f, err := r.Open(r.Segs[0].String())
	if errors.Is(err, fs.ErrNotExist) && r.Anew != nil {
		f, err = r.openPacked(err)
	}
	if err != nil {
		return fmt.Errorf("%w: %v", disk.ErrDamaged, err)
	}
	r.file, r.read, r.sum = f, 0, sha256.New()
	r.dec = decoders.Get().(*zstd.Decoder)
	return r.dec.Reset(f)
}

// openPacked goes on at the same place of the version's segments as they are
// by now.
func (r *Reader) openPacked(gone error) (*os.File, error) {
	at := r.Segs[0].Offset + r.Skip
	segs := r.Anew()
	for i, s := range segs {
		if s.Offset <= at && at < s.Offset+s.Length && s != r.Segs[0] {
			f, err := r.Open(s.String())
			if err != nil {
				return nil, err
			}
			r.Segs, r.Skip = segs[i:], at-s.Offset
			return f, nil
		}
	}
	return nil, gone
}

func (r *Reader) damaged(cause error) error {
	name := "segment " + r.Segs[0].String()
	if r.file != nil {
		name = r.file.Name()
	}
	if cause != nil {
		return fmt.Errorf("%s: %w: %v", name, disk.ErrDamaged, cause)
	}
	return fmt.Errorf("%s: %w: other content than its name says", name, disk.ErrDamaged)
}

func (r *Reader) endSegment() {
	if r.file != nil {
		r.file.Close()
		r.dec.Reset(nil)
		decoders.Put(r.dec)
		r.file, r.dec = nil, nil
	}
}

func (r *Reader) Close() error {
	r.endSegment()
	r.Segs = nil
	return nil
}

// A SourceError is a fault of where bytes are taken from, not of the library.
type SourceError struct{ err error }

func (e SourceError) Error() string { return e.err.Error() }
func (e SourceError) Unwrap() error { return e.err }

// AtSource marks an error as the source's.
func AtSource(err error) error { return SourceError{err} }

// FromSource marks the errors of reading as the source's.
func FromSource(r io.Reader) io.Reader { return sourceReader{r} }

type sourceReader struct{ r io.Reader }

func (s sourceReader) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		err = AtSource(err)
	}
	return n, err
}
