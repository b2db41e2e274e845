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

// A Reading is what one pass over a source found, compared with a version of the library's.
type Reading struct {
	Keep  int      // leading segments of the version that the source still begins with
	Whole bool     // it begins with all of them; those after keep are small, and stored again with what follows
	Added []Staged // what follows them
	Size  int64
	Sum   string
	Mod   time.Time
}

// ReadSource reads a source, found under root, once, comparing it with base and staging what is new. If it changed
// meanwhile, it is read again until two passes agree about the bytes taken; after three it is taken as it is, and torn.
func ReadSource(ctx context.Context, temp Temp, root string, f ingest.File,
	base Version) (r Reading, torn bool, err error) {
	if err := disk.Within(root, ingest.OnDisk(f.Path)); err != nil {
		return Reading{}, false, AtSource(err)
	}
	for try := 0; ; try++ {
		Drop(r.Added...)
		r, torn, err = readOnce(ctx, temp, f, base)
		if err != nil || !torn || try == 2 {
			return r, torn, err
		}
		if sameAgain(ctx, f, r) {
			return r, false, nil
		}
	}
}

// readOnce is one pass. torn says that the source's size or time changed meanwhile.
func readOnce(ctx context.Context, temp Temp, f ingest.File, base Version) (r Reading, torn bool, err error) {
	src, fi, err := OpenSource(f)
	if err != nil {
		return Reading{}, false, AtSource(err)
	}
	defer func() { src.Close() }()
	limit, size := int64(1)<<62, f.Size
	r.Mod = f.Mod
	if fi != nil {
		limit, size, r.Mod = fi.Size(), fi.Size(), fi.ModTime()
	}
	in := io.LimitReader(FromSource(disk.Until(ctx, src)), limit)
	begins, read := []begun{{hash: sha256.New()}}, int64(0)
	for i, s := range base.Segs {
		next, n, err := begins[i].and(in, s)
		if err != nil {
			return r, false, err
		}
		if read += n; next.hash == nil {
			break
		}
		begins = append(begins, next)
	}
	keep := len(begins) - 1
	r.Whole = keep == len(base.Segs)
	here := begins[mergeFrom(base.Segs[:keep], size)]
	if here.size != read { // seek the same one: rows of a database opened anew may be others by now
		again := src
		if s, ok := src.(io.Seeker); ok {
			_, err = s.Seek(here.size, io.SeekStart)
		} else if again, err = OpenAt(ctx, f, here.size); err == nil {
			src.Close()
		}
		if err != nil {
			return r, false, AtSource(err)
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
			return r, false, err
		}
		if s.Length == 0 {
			break
		}
		r.Added = append(r.Added, s)
		r.Size += s.Length
	}
	r.Sum = hex.EncodeToString(here.hash.Sum(nil))
	return r, changedSince(f.Path, fi), nil
}

// begun is what a source is known to begin with: segments, and the hash of their bytes.
type begun struct {
	keep int
	size int64
	hash hash.Hash
}

// and is what it begins with if segment s follows, of which it read n bytes: without a hash if other bytes do.
func (b begun) and(in io.Reader, s Segment) (next begun, n int64, err error) {
	whole, _ := b.hash.(hash.Cloner).Clone()
	own, out := hash.Hash(whole), io.Writer(whole)
	if b.keep > 0 {
		own = sha256.New()
		out = io.MultiWriter(whole, own)
	}
	n, err = io.Copy(out, io.LimitReader(in, s.Length))
	if n == s.Length && hex.EncodeToString(own.Sum(nil)) == s.Sum {
		next = begun{b.keep + 1, b.size + n, whole}
	}
	return next, n, err
}

// A session grows all day by little at a time. Not to give thousands of files, or stretches too short to compress,
// tailMax segments at the end about as small as what is new are stored again with it. Each byte is stored again once
// for each power of tailMax that the session grows by, compressed.
const (
	tailMax   = 8
	tailSmall = 1 << 10 // the smallest class of segments
	tailLarge = 4 << 20 // never stored again
)

// mergeFrom is the first segment to store again when the source has grown to size; len(base) if all stay.
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

// piece is how many of the bytes that are left of a source go into the next segment, if it isn't only written at its
// end: rows of a database and JSON documents change where they stand, mostly the last ones. What is stored again then
// is some times what follows them, not the whole session.
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

// sameAgain reads the source's first r.Size bytes once more and reports whether they are what r has.
func sameAgain(ctx context.Context, f ingest.File, r Reading) bool {
	src, _, err := OpenSource(f)
	if err != nil {
		return false
	}
	defer src.Close()
	sum, err := disk.Sum(io.LimitReader(disk.Until(ctx, src), r.Size))
	return err == nil && sum.Size == r.Size && sum.SHA256 == r.Sum
}

// changedSince reports whether that path's file is another than fi, or of another size or time. One that vanished after
// it was opened was read whole.
func changedSince(path string, fi fs.FileInfo) bool {
	if path == "" || fi == nil {
		return false
	}
	now, err := os.Stat(path)
	if err != nil {
		return false
	}
	return !os.SameFile(fi, now) || now.Size() != fi.Size() || !now.ModTime().Equal(fi.ModTime())
}

// OpenSource opens a file of a session; fi is nil where it isn't a file of the file system.
func OpenSource(f ingest.File) (src io.ReadCloser, fi fs.FileInfo, err error) {
	if f.Path != "" {
		// Before opening: to open a pipe is to wait for its writer.
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
