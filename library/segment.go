package library

import (
	"bytes"
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

// segmentMax is how many source bytes a segment holds at most. It bounds what
// a rewrite in the middle of a large file stores again.
const segmentMax = 32 << 20

// A segment is a stretch of a source's bytes, stored compressed under a name
// made of the three.
type segment struct {
	Offset, Length int64
	Sum            string // SHA-256 of the source's bytes, hex
}

func (s segment) String() string { return fmt.Sprintf("%d-%d-%s.zst", s.Offset, s.Length, s.Sum) }

func parseSegment(name string) (segment, error) {
	parts := strings.Split(strings.TrimSuffix(name, ".zst"), "-")
	if len(parts) == 3 && len(parts[2]) == 2*sha256.Size {
		off, err1 := strconv.ParseInt(parts[0], 10, 64)
		n, err2 := strconv.ParseInt(parts[1], 10, 64)
		if s := (segment{off, n, parts[2]}); err1 == nil && err2 == nil && n >= 0 && n < 1<<40 && s.String() == name {
			return s, nil
		}
	}
	return segment{}, fmt.Errorf("segment %q: not <offset>-<length>-<sha256>.zst", name)
}

// staged is a segment that is written, not yet synced nor in its place.
type staged struct {
	segment
	temp string
	crc  string // CRC-32C of the file
}

func dropStaged(segs []staged) {
	for _, s := range segs {
		disk.Unlink(s.temp)
	}
}

func temps(segs []staged) []string {
	var paths []string
	for _, s := range segs {
		paths = append(paths, s.temp)
	}
	return paths
}

// place moves staged segments into raw. What is there already has the same
// bytes, by its name, if its checksum is the one known of it; else it is
// replaced.
func place(segs []staged, raw string, crcs map[string][]string) error {
	for _, s := range segs {
		target := filepath.Join(raw, s.String())
		if have, err := fileCRC(target); err == nil && (have == s.crc || slices.Contains(crcs[s.String()], have)) {
			disk.Unlink(s.temp)
			continue
		}
		if err := disk.Rename(s.temp, target); err != nil {
			return err
		}
	}
	return nil
}

var (
	// Segments are packed better when their session is quiet: until then, of real
	// transcripts, they are larger by 5 % than at the next level, and take a quarter
	// less time.
	encoders = sync.Pool{New: func() any {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
		if err != nil {
			panic(err) // only options can be wrong
		}
		return e
	}}
	decoders = sync.Pool{New: func() any {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			panic(err)
		}
		return d
	}}
	// compressing bounds the encoders in use: each holds tens of megabytes, and
	// more than there are cores are no faster.
	compressing = make(chan struct{}, runtime.GOMAXPROCS(0))
	copyBuffers = sync.Pool{New: func() any { b := make([]byte, 256<<10); return &b }}
)

// A sourceError is a fault of the source, not of the library.
type sourceError struct{ error }

func (e sourceError) Unwrap() error { return e.error }

// sourceReader marks the errors of reading as the source's.
type sourceReader struct{ r io.Reader }

func (s sourceReader) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		err = sourceError{err}
	}
	return n, err
}

// copyHashed copies at most n bytes from r to w and hashes them on the way.
func copyHashed(w io.Writer, hashes []hash.Hash, r io.Reader, n int64) (int64, error) {
	buf := copyBuffers.Get().(*[]byte)
	defer copyBuffers.Put(buf)
	var done int64
	for done < n {
		part := (*buf)[:min(int64(len(*buf)), n-done)]
		m, err := io.ReadFull(r, part)
		for _, h := range hashes {
			h.Write(part[:m])
		}
		if _, werr := w.Write(part[:m]); werr != nil {
			return done, werr
		}
		done += int64(m)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return done, nil
		}
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// stageSegment writes the next stretch of r, at most segmentMax bytes, as a
// segment. whole goes on hashing the file. At the end of r it returns a
// segment of length 0 and no file.
func (l *Library) stageSegment(r io.Reader, whole hash.Hash, offset int64) (staged, error) {
	var first [1]byte
	if _, err := io.ReadFull(r, first[:]); err == io.EOF {
		return staged{}, nil
	} else if err != nil {
		return staged{}, err
	}
	s := staged{segment: segment{Offset: offset}}
	hashes, own := hashesFor(whole, offset)
	crc := &disk.CRCWriter{}
	temp, err := l.temp(func(w io.Writer) error {
		crc.W = w
		compressing <- struct{}{}
		defer func() { <-compressing }()
		enc := encoders.Get().(*zstd.Encoder)
		defer encoders.Put(enc)
		defer enc.Reset(nil)
		enc.Reset(crc)
		n, err := copyHashed(enc, hashes, io.MultiReader(bytes.NewReader(first[:]), r), segmentMax)
		s.Length = n
		return errors.Join(err, enc.Close())
	})
	s.temp, s.Sum, s.crc = temp, hex.EncodeToString(own.Sum(nil)), disk.CRCText(crc.Sum)
	return s, err
}

// hashesFor gives the hashes to feed for the segment at offset, and the one
// that is its own: the first segment shares the whole file's.
func hashesFor(whole hash.Hash, offset int64) (feed []hash.Hash, own hash.Hash) {
	if offset == 0 {
		return []hash.Hash{whole}, whole
	}
	own = sha256.New()
	return []hash.Hash{whole, own}, own
}

// segmentReader streams the content of segments one after the other and
// checks each at its end.
type segmentReader struct {
	open func(name string) (*os.File, error)
	segs []segment
	anew func() []segment // the version's segments as they are now: it may be packed meanwhile; or nil
	skip int64            // bytes of the segment that were read before it was packed
	file *os.File
	dec  *zstd.Decoder
	sum  hash.Hash
	read int64
}

func (r *segmentReader) Read(p []byte) (int, error) {
	for {
		if r.file == nil {
			if len(r.segs) == 0 {
				return 0, io.EOF
			}
			if err := r.next(); err != nil {
				return 0, err
			}
		}
		n, err := r.dec.Read(p)
		r.sum.Write(p[:n])
		r.read += int64(n)
		if r.read > r.segs[0].Length || (err != nil && err != io.EOF) {
			return 0, r.damaged(err)
		}
		if err == io.EOF {
			if r.read != r.segs[0].Length || hex.EncodeToString(r.sum.Sum(nil)) != r.segs[0].Sum {
				return 0, r.damaged(nil)
			}
			r.endSegment()
			r.segs = r.segs[1:]
		}
		if r.skip > 0 {
			over := min(r.skip, int64(n))
			n = copy(p, p[over:n])
			r.skip -= over
		}
		if n > 0 {
			return n, nil
		}
	}
}

func (r *segmentReader) next() error {
	f, err := r.open(r.segs[0].String())
	if errors.Is(err, fs.ErrNotExist) && r.anew != nil {
		f, err = r.openPacked(err)
	}
	if err != nil {
		return fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	r.file, r.read, r.sum = f, 0, sha256.New()
	r.dec = decoders.Get().(*zstd.Decoder)
	return r.dec.Reset(f)
}

// openPacked goes on at the same place of the version's segments as they are
// by now.
func (r *segmentReader) openPacked(gone error) (*os.File, error) {
	at := r.segs[0].Offset + r.skip
	segs := r.anew()
	for i, s := range segs {
		if s.Offset <= at && at < s.Offset+s.Length && s != r.segs[0] {
			f, err := r.open(s.String())
			if err != nil {
				return nil, err
			}
			r.segs, r.skip = segs[i:], at-s.Offset
			return f, nil
		}
	}
	return nil, gone
}

func (r *segmentReader) damaged(cause error) error {
	name := "segment " + r.segs[0].String()
	if r.file != nil {
		name = r.file.Name()
	}
	if cause != nil {
		return fmt.Errorf("%s: %w: %v", name, ErrDamaged, cause)
	}
	return fmt.Errorf("%s: %w: other content than its name says", name, ErrDamaged)
}

func (r *segmentReader) endSegment() {
	if r.file != nil {
		r.file.Close()
		r.dec.Reset(nil)
		decoders.Put(r.dec)
		r.file, r.dec = nil, nil
	}
}

func (r *segmentReader) Close() error {
	r.endSegment()
	r.segs = nil
	return nil
}
