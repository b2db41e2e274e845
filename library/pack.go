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

// QuietToPack is how long nothing was said in a session before its segments are packed.
const QuietToPack = 7 * 24 * time.Hour

// smallSegment is how much a run's segments hold on average for packing it to be tried: of 34 real transcripts that
// arrived by so much at a time, five became a fifth smaller, and one of those that arrived by twice as much.
const smallSegment = 512 << 10

// A Packing says what Pack replaced of a session: bytes of segments as stored, both zero if it wasn't worth it.
type Packing struct {
	Before, After int64
}

// Loose reports whether a session has segments that weren't packed. One that is all there is can only stay.
func (e Entry) Loose() bool {
	alone := len(e.Files) == 1 && e.Files[0].CRC != ""
	return !alone && e.Packed != e.Input
}

// ToPack reports whether a session is quiet and has segments that weren't packed.
func (e Entry) ToPack(now time.Time) bool { return e.Loose() && e.Quiet(now) >= QuietToPack }

// Pack stores a session's bytes anew, in as few segments as its versions allow, where that takes a fifth less. Each is
// read back and compared before it replaces the old ones, which go only when what names the new is durable. Cut off
// anywhere, every version stays readable, and the next one removes what is left lying. A session that is written to
// meanwhile isn't changed.
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
	packed := map[string]raw.Staged{} // what takes the place of a run of segments, by the name of its first
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

// stagePacked writes one segment with the content of several and reads it back. size is the file's.
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
