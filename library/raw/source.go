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

// A Reading is what one pass over a source found, compared with a version
// that the library has.
type Reading struct {
	Keep  int      // leading segments of the version that the source still begins with
	Whole bool     // it begins with all of them; those after keep are small, and stored again with what follows
	Added []Staged // what follows them
	Size  int64
	Sum   string
	Mod   time.Time
}

// ReadSource reads a source, found under root, once, comparing it with base and staging what is
// new. If the source changed meanwhile, it is read again until two passes
// agree about the bytes taken; after three it is taken as it is, and torn says
// so.
func ReadSource(ctx context.Context, temp Temp, root string, f ingest.File,
	base Version) (r Reading, torn bool, err error) {
	if err := disk.Within(root, f.Path); err != nil {
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

// errOther: a source doesn't begin as the library has it.
var errOther = errors.New("not as it was")

// readOnce is one pass, or two where the source isn't what it was with more behind
// it: which of the segments it has then is looked for one by one. torn says that the
// source's size or time changed meanwhile.
func readOnce(ctx context.Context, temp Temp, f ingest.File, base Version) (r Reading, torn bool, err error) {
	if base.Sum != "" {
		if r, torn, err = readAfter(ctx, temp, f, base); err != errOther {
			return r, torn, err
		}
	}
	return readAfter(ctx, temp, f, Version{Segs: base.Segs})
}

// readAfter reads what follows on base, whose content has to be as base.Sum says,
// if it does: then one hash of all is made instead of another of each segment.
func readAfter(ctx context.Context, temp Temp, f ingest.File, after Version) (r Reading, torn bool, err error) {
	base := after.Segs
	src, fi, err := OpenSource(f)
	if err != nil {
		return Reading{}, false, AtSource(err)
	}
	defer func() { src.Close() }()
	limit := int64(1) << 62
	r.Mod = f.Mod
	if fi != nil {
		limit, r.Mod = fi.Size(), fi.ModTime()
	}
	in := io.LimitReader(FromSource(disk.Until(ctx, src)), limit)
	whole := sha256.New()
	var small tail
	from := mergeFrom(base, limit)
	for r.Keep < len(base) {
		before, _ := whole.(hash.Cloner).Clone()
		if r.Keep == from {
			small = tail{r.Keep, r.Size, before}
		}
		same, n, err := compare(in, base[r.Keep], whole, after.Sum == "")
		if err != nil {
			return r, false, err
		}
		if !same && after.Sum != "" {
			return Reading{}, false, errOther
		}
		if !same {
			whole = before
			if n > 0 {
				src.Close()
				if src, in, err = reopen(ctx, f, r.Size, limit); err != nil {
					return r, false, AtSource(err)
				}
			}
			break
		}
		r.Size += n
		r.Keep++
	}
	if after.Sum != "" && hex.EncodeToString(whole.Sum(nil)) != after.Sum {
		return Reading{}, false, errOther
	}
	r.Whole = r.Keep == len(base)
	if r.Whole && small.hash != nil {
		src.Close()
		if src, in, err = reopen(ctx, f, small.size, limit); err != nil {
			return r, false, AtSource(err)
		}
		r.Keep, r.Size, whole = small.keep, small.size, small.hash
	}
	for {
		s, err := StageNext(temp, in, r.Size, whole)
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
	r.Sum = hex.EncodeToString(whole.Sum(nil))
	return r, changedSince(f.Path, fi), nil
}

// tail is where the small segments at the end of a version begin, and the hash
// of what stands before them.
type tail struct {
	keep int
	size int64
	hash hash.Hash
}

// A session that grows all day grows by little at a time. So that this gives
// neither thousands of files nor stretches too short to compress, tailMax
// segments at the end that are about as small as what is new are stored again
// together with it. Each byte is stored again once for each power of tailMax
// that the session grows by, compressed.
const (
	tailMax   = 8
	tailSmall = 1 << 10 // the smallest class of segments
	tailLarge = 4 << 20 // never stored again
)

// mergeFrom is the first of the segments that are stored again when the source
// has grown to size; all of them stay if it is len(base).
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

// compare reads as many bytes as the segment has and reports whether they are
// its bytes, or, unless it is to look closely, as many; n is how many it read.
func compare(in io.Reader, s Segment, whole hash.Hash, closely bool) (same bool, n int64, err error) {
	own, out := whole, io.Writer(whole)
	if closely && s.Offset > 0 {
		own = sha256.New()
		out = io.MultiWriter(whole, own)
	}
	n, err = disk.Copy(out, io.LimitReader(in, s.Length))
	return err == nil && n == s.Length && (!closely || hex.EncodeToString(own.Sum(nil)) == s.Sum), n, err
}

// sameAgain reads the source's first r.Size bytes once more and reports whether
// they are what r has.
func sameAgain(ctx context.Context, f ingest.File, r Reading) bool {
	src, _, err := OpenSource(f)
	if err != nil {
		return false
	}
	defer src.Close()
	sum, err := disk.Sum(io.LimitReader(disk.Until(ctx, src), r.Size))
	return err == nil && sum.Size == r.Size && sum.SHA256 == r.Sum
}

// changedSince reports whether the file of that path is another one than fi or
// has another size or time by now. One that vanished after it was opened was
// read whole.
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

// OpenSource opens a file of a session; fi is nil where it isn't a file of the
// file system.
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

// reopen opens the file again and skips to offset.
func reopen(ctx context.Context, f ingest.File, offset, limit int64) (io.ReadCloser, io.Reader, error) {
	src, _, err := OpenSource(f)
	if err != nil {
		return nopCloser{}, nil, err
	}
	in := io.LimitReader(FromSource(disk.Until(ctx, src)), limit)
	if s, ok := src.(io.Seeker); ok {
		_, err = s.Seek(offset, io.SeekStart)
		in = io.LimitReader(FromSource(disk.Until(ctx, src)), limit-offset)
	} else {
		_, err = io.CopyN(io.Discard, in, offset)
	}
	return src, in, err
}

type nopCloser struct{ io.Reader }

func (nopCloser) Close() error { return nil }
