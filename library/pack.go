package library

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/raw"
)

// QuietToPack is how long a session must be quiet before its segments are packed.
const QuietToPack = 7 * 24 * time.Hour

// smallSegment is the largest average segment size of a run that is worth packing. Of 34 real transcripts that
// arrived in pieces of this size, five became a fifth smaller; with pieces of twice the size, only one did.
const smallSegment = 512 << 10

// A Packing holds the stored size of the segments that Pack replaced, before and after; zero if it wasn't worth it.
type Packing struct {
	Before, After int64
}

// ToPack reports whether a session is quiet and has unpacked segments. A single segment can't be packed further.
func (e Entry) ToPack(now time.Time) bool {
	alone := len(e.Files) == 1 && e.Files[0].CRC != ""
	return !alone && e.Packed != e.Input && e.Quiet(now) >= QuietToPack
}

// Pack stores a session's bytes again, in as few segments as its versions allow, if that saves at least a fifth. Each
// new segment is read back and compared before it replaces the old ones, which are removed only when the list that
// names the new ones is durable. If it is interrupted, every version stays readable, and the next Pack removes what
// was left over. A session that is written to meanwhile stays as it is.
func (l *Library) Pack(ctx context.Context, id ingest.SessionID) (Packing, error) {
	sizes, err := l.pack(ctx, id)
	if err != nil {
		return Packing{}, fmt.Errorf("pack %s: %w", id, err)
	}
	return sizes, nil
}

func (l *Library) pack(ctx context.Context, id ingest.SessionID) (sizes Packing, err error) {
	if err := l.ReadOnly(); err != nil {
		return sizes, err
	}
	e, err := l.Session(id)
	if err != nil {
		return sizes, err
	}
	was, err := e.Versions()
	if err == nil {
		err = was.Whole()
	}
	if err != nil {
		return sizes, err
	}
	packed := map[string]raw.Staged{} // replacements of runs of segments, by the name of each run's first
	defer func() { raw.Drop(slices.Collect(maps.Values(packed))...) }()
	for _, run := range was.Runs() {
		last := run[len(run)-1]
		if n := int64(len(run)); n == 1 || last.Offset+last.Length-run[0].Offset > n*smallSegment {
			continue
		}
		var before int64
		for _, s := range run {
			fi, err := os.Stat(raw.Path(e.Folder, s))
			if err != nil {
				return sizes, fmt.Errorf("%w: %v", ErrDamaged, err)
			}
			before += fi.Size()
		}
		st, after, err := l.stagePacked(ctx, e.Folder, run)
		if err != nil {
			return sizes, err
		}
		if 5*after > 4*before {
			raw.Drop(st)
			continue
		}
		packed[run[0].String()] = st
		sizes.Before, sizes.After = sizes.Before+before, sizes.After+after
	}
	if err := raw.Sync(slices.Collect(maps.Values(packed))); err != nil {
		return sizes, err
	}
	return sizes, l.withSession(id, func(now Entry) error {
		v, err := now.Versions()
		if err != nil {
			return err
		}
		if v.Read != was.Read || now.Input != e.Input {
			return fmt.Errorf("it was written to meanwhile: %w", ErrBusy)
		}
		if len(packed) > 0 {
			if err := v.Use(now.Folder, packed, l.put); err != nil {
				return err
			}
			if v, err = now.Versions(); err != nil {
				return err
			}
		}
		if err := v.DropStrays(ctx, now.Folder); err != nil {
			return err
		}
		now.Packed = now.Input
		return l.saveEntry(now)
	})
}

// stagePacked writes one segment with the content of several, reads it back and returns the size of its file.
func (l *Library) stagePacked(ctx context.Context, folder string, run []raw.Segment) (
	st raw.Staged, size int64, err error) {
	in := raw.Read(folder, run...)
	defer in.Close()
	if st, err = raw.Stage(l.temp, disk.Until(ctx, in), run[0].Offset, raw.Small); err != nil {
		return st, 0, err
	}
	last := run[len(run)-1]
	if end := st.Offset + st.Length; end != last.Offset+last.Length {
		err = fmt.Errorf("it ends at byte %d, not %d", end, last.Offset+last.Length)
	} else if err = st.ReadsBack(ctx); err == nil {
		var fi os.FileInfo
		if fi, err = os.Stat(st.Temp); err == nil {
			return st, fi.Size(), nil
		}
	}
	raw.Drop(st)
	return st, 0, err
}
