package library

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"recall/ingest"
	"recall/library/disk"
)

// QuietToPack is how long nothing was said in a session before its segments
// are packed.
const QuietToPack = 7 * 24 * time.Hour

// packMax is how many source bytes a packed segment holds at most.
const packMax = 256 << 20

// A Packing says what Pack did to a session: bytes of its segments as stored.
type Packing struct {
	Before, After int64
}

// ToPack reports whether a session is quiet and has segments that weren't packed.
func (e Entry) ToPack(now time.Time) bool {
	return e.Packed != e.Input && e.Quiet(now) >= QuietToPack
}

// Pack stores a session's bytes anew, in as few segments as its versions allow
// and as small as they get. Each is read back and compared before it takes the
// place of the old ones, and the old ones go only when what names the new is
// durable. Cut off anywhere, every version stays readable; what is left lying
// is removed by the next one. Of a session that is written to meanwhile nothing
// is changed.
func (l *Library) Pack(ctx context.Context, id ingest.SessionID) (Packing, error) {
	fail := func(err error) (Packing, error) { return Packing{}, fmt.Errorf("pack %s: %w", id, err) }
	if err := l.ReadOnly(); err != nil {
		return fail(err)
	}
	e, err := l.Session(id)
	if err != nil {
		return fail(err)
	}
	v, err := readVersions(e.Folder)
	if err != nil {
		return fail(err)
	}
	if len(v.lost) > 0 {
		return fail(fmt.Errorf("%s: %s: %w", v.lost[0].Path, v.lost[0].Reason, ErrDamaged))
	}
	p := &packing{l: l, ctx: ctx, entry: e, v: v, of: map[string]staged{}}
	defer p.drop()
	if err := p.stage(); err != nil {
		return fail(err)
	}
	if err := p.commit(); err != nil {
		return fail(err)
	}
	return p.sizes, nil
}

// packing is one call of Pack at work.
type packing struct {
	l     *Library
	ctx   context.Context
	entry Entry
	v     *versions
	of    map[string]staged // what takes the place of a run of segments, by the name of its first
	all   []staged
	sizes Packing
}

func (p *packing) drop() { dropStaged(p.all) }

// stage packs every run of segments that one packed segment may replace.
func (p *packing) stage() error {
	for _, run := range p.v.runs() {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		var before int64
		for _, s := range run {
			fi, err := os.Stat(filepath.Join(p.entry.Folder, "raw", s.String()))
			if err != nil {
				return fmt.Errorf("%w: %v", ErrDamaged, err)
			}
			before += fi.Size()
		}
		st, err := p.l.stagePacked(p.ctx, p.entry.Folder, run)
		if err != nil {
			return err
		}
		p.all = append(p.all, st)
		fi, err := os.Stat(st.temp)
		if err != nil {
			return err
		}
		after := fi.Size()
		if len(run) > 1 || after < before {
			p.of[run[0].String()] = st
		} else {
			after = before
		}
		p.sizes.Before, p.sizes.After = p.sizes.Before+before, p.sizes.After+after
	}
	return nil
}

// runs are the longest stretches of segments that every version has whole or
// not at all. A version that shares its beginning with another is cut there.
func (v *versions) runs() [][]segment {
	owners := map[string]string{}
	var files []string
	for file := range v.files {
		files = append(files, file)
	}
	slices.Sort(files)
	for _, file := range files {
		for n, ver := range v.files[file] {
			for _, s := range ver.Segs {
				owners[s.String()] += fmt.Sprintf("%d:%s %d\n", len(file), file, n)
			}
		}
	}
	done := map[string]bool{}
	var all [][]segment
	for _, file := range files {
		for _, ver := range v.files[file] {
			for i := 0; i < len(ver.Segs); {
				run, size := ver.Segs[i:i+1], ver.Segs[i].Length
				for k := i + 1; k < len(ver.Segs) && owners[ver.Segs[k].String()] == owners[ver.Segs[i].String()] && size+ver.Segs[k].Length <= packMax; k++ {
					run, size = ver.Segs[i:k+1], size+ver.Segs[k].Length
				}
				if name := run[0].String(); !done[name] {
					done[name] = true
					all = append(all, run)
				}
				i += len(run)
			}
		}
	}
	return all
}

// stagePacked writes one segment with the content of several and reads it back.
func (l *Library) stagePacked(ctx context.Context, folder string, run []segment) (staged, error) {
	var length int64
	for _, s := range run {
		length += s.Length
	}
	in := &segmentReader{open: func(name string) (*os.File,
		error) {
		return disk.Open(filepath.Join(folder, "raw", name))
	}, segs: run}
	defer in.Close()
	st, err := l.stageAs(ctxReader{ctx, in}, run[0].Offset, best)
	if err != nil {
		return staged{}, err
	}
	if st.Length != length {
		err = fmt.Errorf("%d bytes of %d", st.Length, length)
	} else {
		err = readsBack(ctx, st)
	}
	if err != nil {
		dropStaged([]staged{st})
		return staged{}, err
	}
	return st, nil
}

// readsBack unpacks a staged segment and compares.
func readsBack(ctx context.Context, st staged) error {
	back := &segmentReader{open: func(string) (*os.File, error) { return disk.Open(st.temp) },
		segs: []segment{st.segment}}
	defer back.Close()
	_, _, err := hashAll(ctxReader{ctx, back})
	return err
}

// stageWhole writes all of r as one segment.
func (l *Library) stageWhole(r io.Reader, offset int64) (staged, error) {
	return l.stageAs(r, offset, &encoders)
}

func (l *Library) stageAs(r io.Reader, offset int64, level *sync.Pool) (staged, error) {
	s := staged{segment: segment{Offset: offset}}
	sum, crc := sha256.New(), &disk.CRCWriter{}
	temp, err := l.temp(func(w io.Writer) error {
		crc.W = w
		compressing <- struct{}{}
		defer func() { <-compressing }()
		enc := level.Get().(*zstd.Encoder)
		defer level.Put(enc)
		defer enc.Reset(nil)
		enc.Reset(crc)
		n, err := io.Copy(io.MultiWriter(enc, sum), r)
		s.Length = n
		return errors.Join(err, enc.Close())
	})
	s.temp, s.Sum, s.crc = temp, hex.EncodeToString(sum.Sum(nil)), disk.CRCText(crc.Sum)
	return s, err
}

// best compresses as small as it gets. One holds much memory: they aren't kept.
var best = &sync.Pool{New: func() any {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBestCompression),
		zstd.WithWindowSize(32<<20))
	if err != nil {
		panic(err) // only options can be wrong
	}
	return e
}}

// commit brings the packed segments into use.
func (p *packing) commit() error {
	used := []staged{}
	for _, st := range p.of {
		used = append(used, st)
	}
	if err := disk.SyncFiles(temps(used)); err != nil {
		return err
	}
	now, unlock, err := p.l.hold(p.entry.ID)
	if err != nil {
		return err
	}
	defer unlock()
	v, err := readVersions(now.Folder)
	if err != nil {
		return err
	}
	if v.size != p.v.size || now.Input != p.entry.Input {
		return fmt.Errorf("it was written to meanwhile: %w", ErrBusy)
	}
	if err := p.l.useSegments(now, v, p.of); err != nil {
		return err
	}
	if v, err = readVersions(now.Folder); err != nil {
		return err
	}
	if err := dropStrays(p.ctx, now, v); err != nil {
		return err
	}
	now.Packed = now.Input
	return p.l.saveEntry(now)
}

// useSegments has every version that began a run with a segment of that name
// use the staged one in its place, and removes what no version needs then. The
// caller holds the session's lock.
func (l *Library) useSegments(e Entry, v *versions, of map[string]staged) error {
	if len(v.lost) > 0 {
		return fmt.Errorf("%s: %s: %w", v.lost[0].Path, v.lost[0].Reason, ErrDamaged)
	}
	raw := filepath.Join(e.Folder, "raw")
	lines := v.with(of)
	var fresh, over []staged
	for _, st := range of {
		if disk.Exists(filepath.Join(raw, st.String())) {
			over = append(over, st) // the same bytes, stored otherwise: named first, then replaced
		} else {
			fresh = append(fresh, st)
		}
	}
	if err := place(fresh, raw, v.crcs); err != nil {
		return err
	}
	if err := disk.SyncDir(raw); err != nil {
		return err
	}
	// The whole list in one go: what it said before is said shorter.
	if err := l.put(filepath.Join(raw, "versions.jsonl"), disk.SealLines(encodeLines(lines))); err != nil {
		return err
	}
	if err := disk.SyncDir(raw); err != nil {
		return err
	}
	for _, st := range over {
		if err := disk.Rename(st.temp, filepath.Join(raw, st.String())); err != nil {
			return err
		}
	}
	if err := dropMerged(raw, v, lines); err != nil {
		return err
	}
	return disk.SyncDir(raw)
}

// with are the lines that describe every version anew, each by one, with the
// staged segments in the place of the runs that begin with those of that name.
func (v *versions) with(of map[string]staged) (lines []versionLine) {
	var files []string
	for file := range v.files {
		files = append(files, file)
	}
	slices.Sort(files)
	for _, file := range files {
		for n, ver := range v.files[file] {
			line := versionLine{File: file, Role: v.roles[file], Version: n + 1, Add: []string{}, Size: ver.Size,
				Sum: ver.Sum}
			var end int64
			for _, s := range ver.Segs {
				if s.Offset < end {
					continue // in the staged one
				}
				name := s.String()
				crc := strings.Join(v.crcs[name], " ")
				end = s.Offset + s.Length
				if st, ok := of[name]; ok {
					if st.String() != name {
						name, crc = st.String(), ""
					}
					crc, end = strings.TrimSpace(crc+" "+st.crc), st.Offset+st.Length
				}
				line.Add, line.CRC = append(line.Add, name), append(line.CRC, crc)
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// replaceSegments puts staged segments in the place of those of the same name.
func (l *Library) replaceSegments(e Entry, segs []staged) error {
	if err := disk.SyncFiles(temps(segs)); err != nil {
		return err
	}
	v, err := readVersions(e.Folder)
	if err != nil {
		return err
	}
	of := map[string]staged{}
	for _, st := range segs {
		of[st.String()] = st
	}
	return l.useSegments(e, v, of)
}

// dropStrays removes segments that no version has, of a write that was cut
// off, if all their bytes are held in a version. The caller holds the session's
// lock. Others stay: they may be all that is left of something.
func dropStrays(ctx context.Context, e Entry, v *versions) error {
	raw := filepath.Join(e.Folder, "raw")
	needed := map[string]bool{}
	for _, s := range v.stored() {
		needed[s.String()] = true
	}
	entries, err := disk.ReadDir(raw)
	if err != nil {
		return err
	}
	for _, d := range entries {
		s, err := parseSegment(d.Name())
		if err != nil || needed[d.Name()] || !v.covers(ctx, e.Folder, s) {
			continue
		}
		if err := removeIfThere(filepath.Join(raw, d.Name())); err != nil {
			return err
		}
	}
	return nil
}

// covers reports whether some version holds the bytes of a segment, by reading them.
func (v *versions) covers(ctx context.Context, folder string, s segment) bool {
	for _, list := range v.files {
		for _, ver := range list {
			if ver.Size < s.Offset+s.Length {
				continue
			}
			in := &segmentReader{open: func(name string) (*os.File,
				error) {
				return disk.Open(filepath.Join(folder, "raw", name))
			}, segs: ver.Segs}
			_, err := io.CopyN(io.Discard, ctxReader{ctx, in}, s.Offset)
			sum, n := "", int64(0)
			if err == nil {
				sum, n, err = hashAll(io.LimitReader(ctxReader{ctx, in}, s.Length))
			}
			in.Close()
			if err == nil && n == s.Length && sum == s.Sum {
				return true
			}
		}
	}
	return false
}

// hashAll reads r to its end.
func hashAll(r io.Reader) (sum string, n int64, err error) {
	h := sha256.New()
	n, err = io.Copy(h, r)
	return hex.EncodeToString(h.Sum(nil)), n, err
}

// fileCRC is the CRC-32C of a file.
func fileCRC(path string) (string, error) {
	f, err := disk.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := crc32.New(disk.Castagnoli)
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return disk.CRCText(h.Sum32()), nil
}
