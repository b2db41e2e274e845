package raw

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"time"

	"recall/ingest"
	"recall/library/disk"
)

// A Reading is the result of one pass over a source, compared with a version in the library.
type Reading struct {
	Keep  int      // leading segments of the version with which the source still begins
	Whole bool     // it begins with all of them; those after Keep are small, and stored again with what follows
	Added []Staged // what follows the first Keep
	Size  int64
	Sum   string
	Mod   time.Time
}

// ReadSource reads a source, found under root, once, comparing it with base and staging what is new. Whatever changes
// meanwhile gives the source another size or time than those returned, so the next archive reads it again.
func ReadSource(ctx context.Context, temp Temp, root string, f ingest.File, base Version) (r Reading, err error) {
	if err := disk.Within(root, ingest.OnDisk(f.Path)); err != nil {
		return Reading{}, AtSource(err)
	}
	src, fi, err := OpenSource(f)
	if err != nil {
		return Reading{}, AtSource(err)
	}
	defer func() { src.Close() }()
	limit, size := int64(1)<<62, f.Size
	r.Mod = f.Mod
	if fi != nil {
		limit, size, r.Mod = fi.Size(), fi.Size(), fi.ModTime()
	}
	in := io.LimitReader(FromSource(disk.Until(ctx, src)), limit)
	begins, read := []prefix{{hash: sha256.New()}}, int64(0)
	for i, s := range base.Segs {
		next, n, err := begins[i].extend(in, s)
		if err != nil {
			return r, err
		}
		if read += n; next.hash == nil {
			break
		}
		begins = append(begins, next)
	}
	keep := len(begins) - 1
	r.Whole = keep == len(base.Segs)
	here := begins[mergeFrom(base.Segs[:keep], size)]
	if here.size != read { // seek in the same file: rows of a database opened again might differ by now
		again := src
		if s, ok := src.(io.Seeker); ok {
			_, err = s.Seek(here.size, io.SeekStart)
		} else if again, err = OpenAt(ctx, f, here.size); err == nil {
			src.Close()
		}
		if err != nil {
			return r, AtSource(err)
		}
		src, in = again, io.LimitReader(FromSource(disk.Until(ctx, again)), limit-here.size)
	}
	r.Keep, r.Size = here.keep, here.size
	for {
		next := in
		if !r.Whole {
			next = io.LimitReader(in, piece(size-r.Size))
		}
		s, err := StageNext(temp, next, r.Size, here.hash)
		if err != nil {
			Drop(r.Added...)
			r.Added = nil
			return r, err
		}
		if s.Length == 0 {
			break
		}
		r.Added = append(r.Added, s)
		r.Size += s.Length
	}
	r.Sum = hex.EncodeToString(here.hash.Sum(nil))
	return r, nil
}

// prefix is a known beginning of a source: a number of segments, their size, and the hash of their bytes.
type prefix struct {
	keep int
	size int64
	hash hash.Hash
}

// extend returns the beginning extended by segment s if the source continues with it, else one without a hash. n is how
// many bytes were read.
func (b prefix) extend(in io.Reader, s Segment) (next prefix, n int64, err error) {
	whole, _ := b.hash.(hash.Cloner).Clone()
	own, out := hash.Hash(whole), io.Writer(whole)
	if b.keep > 0 {
		own = sha256.New()
		out = io.MultiWriter(whole, own)
	}
	n, err = io.Copy(out, io.LimitReader(in, s.Length))
	if n == s.Length && hex.EncodeToString(own.Sum(nil)) == s.Sum {
		next = prefix{b.keep + 1, b.size + n, whole}
	}
	return next, n, err
}

// A session grows all day in small steps. To avoid thousands of files, and stretches too short to compress, tailMax
// segments at the end that are about as small as the new bytes are stored again together with them. Each byte is
// stored again once for each power of tailMax by which the session grows, compressed.
const (
	tailMax   = 8
	tailSmall = 1 << 10 // the smallest size class of segments
	tailLarge = 4 << 20 // larger ones are never stored again
)

// mergeFrom returns the first segment to store again when the source has grown to size; len(base) if all stay.
func mergeFrom(base []Segment, size int64) int {
	if len(base) == 0 {
		return 0
	}
	end := base[len(base)-1].Offset + base[len(base)-1].Length
	grown, from := size-end, len(base)
	if grown <= 0 || grown > tailLarge {
		return from
	}
	for {
		limit := int64(tailSmall)
		for limit < grown {
			limit *= tailMax
		}
		n := from
		for n > 0 && base[n-1].Length <= limit && limit <= tailLarge {
			n--
		}
		if from-n < tailMax-1 {
			return from
		}
		grown += end - base[n].Offset
		end, from = base[n].Offset, n
	}
}

// piece returns how many of the remaining bytes of a source go into the next segment, if the source isn't
// append-only: rows of a database and JSON documents change in place, mostly the last ones. Then what must be stored
// again is a few times what follows them, not the whole session.
func piece(left int64) int64 {
	end := int64(8 << 10)
	if left < 2*end {
		return segmentMax
	}
	for 8*end <= left {
		end *= 4
	}
	return left - end
}

// OpenSource opens a file of a session; fi is nil if it isn't a file of the file system.
func OpenSource(f ingest.File) (src io.ReadCloser, fi fs.FileInfo, err error) {
	if f.Path != "" {
		// Check before opening, because opening a pipe waits for its writer.
		if fi, err := os.Stat(f.Path); err == nil && !fi.Mode().IsRegular() {
			return nil, nil, errors.New("not a regular file")
		}
	}
	if f.Open != nil {
		src, err = f.Open()
	} else {
		src, err = os.Open(f.Path)
	}
	if err != nil {
		return nil, nil, err
	}
	if st, ok := src.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if fi, err = st.Stat(); err != nil {
			src.Close()
			return nil, nil, err
		}
	}
	return src, fi, nil
}

// OpenAt opens a file of a session at an offset.
func OpenAt(ctx context.Context, f ingest.File, offset int64) (io.ReadCloser, error) {
	src, _, err := OpenSource(f)
	if err != nil {
		return nil, err
	}
	if s, ok := src.(io.Seeker); ok {
		_, err = s.Seek(offset, io.SeekStart)
	} else {
		_, err = io.CopyN(io.Discard, disk.Until(ctx, src), offset)
	}
	if err != nil {
		src.Close()
		return nil, err
	}
	return src, nil
}

// CommonLength returns the length of the common beginning of two streams, and whether that is all of there. It reads
// archived to its end, which verifies it.
func CommonLength(archived, there io.Reader) (same int64, whole bool, err error) {
	a, b := make([]byte, 128<<10), make([]byte, 128<<10)
	for equal := true; ; {
		n, end := io.ReadFull(archived, a)
		if equal {
			m, err := io.ReadFull(there, b[:n])
			if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
				return same, false, err
			}
			common := samePrefix(a[:n], b[:m])
			same += int64(common)
			equal, whole = common == n, common == m && m < n
		}
		switch end {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			if equal { // up to the end of archived
				m, err := there.Read(b[:1])
				whole = m == 0 && err == io.EOF
			}
			return same, whole, nil
		default:
			return same, false, end
		}
	}
}

func samePrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
