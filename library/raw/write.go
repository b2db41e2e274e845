package raw

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"runtime"
	"sync"

	"github.com/klauspost/compress/zstd"

	"recall/library/disk"
)

// segmentMax is how many source bytes a segment holds: what a rewrite within a large file stores again at most.
const segmentMax = 32 << 20

// A Level is how small a segment is made.
type Level struct{ encoders *sync.Pool }

// Segments are packed better when their session is quiet: until then, of real transcripts, they are 5 % larger than at
// the next level, in a quarter less time. An encoder of Best holds much memory.
var (
	Fast = level(zstd.WithEncoderLevel(zstd.SpeedFastest))
	Best = level(zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(32<<20))
)

func level(options ...zstd.EOption) Level {
	return Level{&sync.Pool{New: func() any {
		e, err := zstd.NewWriter(nil, append(options, zstd.WithEncoderConcurrency(1))...)
		if err != nil {
			panic(err) // only options can be wrong
		}
		return e
	}}}
}

// compressing bounds the encoders in use: each holds tens of megabytes, and more than cores are no faster.
var compressing = make(chan struct{}, runtime.GOMAXPROCS(0))

// A Temp makes a file that isn't in its place yet, and returns its path.
type Temp func(write func(io.Writer) error) (path string, err error)

// Stage writes all of r as one segment; at its end, one of length 0 and no file.
func Stage(temp Temp, r io.Reader, offset int64, level Level) (Staged, error) {
	return stage(temp, r, offset, level, sha256.New())
}

// StageNext writes the next stretch of r, at most 32 MB. whole goes on hashing the file.
func StageNext(temp Temp, r io.Reader, offset int64, whole hash.Hash) (Staged, error) {
	own := whole
	if offset > 0 { // the first segment's is the whole file's so far
		own = sha256.New()
		r = io.TeeReader(r, whole)
	}
	return stage(temp, io.LimitReader(r, segmentMax), offset, Fast, own)
}

func stage(temp Temp, r io.Reader, offset int64, level Level, sum hash.Hash) (Staged, error) {
	var first [1]byte
	if _, err := io.ReadFull(r, first[:]); err == io.EOF {
		return Staged{}, nil
	} else if err != nil {
		return Staged{}, err
	}
	s := Staged{Segment: Segment{Offset: offset}}
	crc := &disk.CRCWriter{}
	var err error
	s.Temp, err = temp(func(w io.Writer) error {
		crc.W = w
		compressing <- struct{}{}
		defer func() { <-compressing }()
		enc := level.encoders.Get().(*zstd.Encoder)
		defer level.encoders.Put(enc)
		defer enc.Reset(nil)
		enc.Reset(crc)
		s.Length, err = disk.Copy(io.MultiWriter(enc, sum), io.MultiReader(bytes.NewReader(first[:]), r))
		return errors.Join(err, enc.Close())
	})
	s.Sum, s.CRC = hex.EncodeToString(sum.Sum(nil)), disk.CRCText(crc.Sum)
	return s, err
}

// Pack compresses bytes in memory.
func Pack(data []byte) []byte {
	e := Fast.encoders.Get().(*zstd.Encoder)
	defer Fast.encoders.Put(e)
	return e.EncodeAll(data, nil)
}
