package library

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/raw"
)

// QuietToPack is how long nothing was said in a session before its segments
// are packed.
const QuietToPack = 7 * 24 * time.Hour

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
	v, err := raw.ReadVersions(e.Folder)
	if err != nil {
		return fail(err)
	}
	if err := v.Whole(); err != nil {
		return fail(err)
	}
	p := &packing{l: l, ctx: ctx, entry: e, v: v, of: map[string]raw.Staged{}}
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
	v     *raw.Versions
	of    map[string]raw.Staged // what takes the place of a run of segments, by the name of its first
	all   []raw.Staged
	sizes Packing
}

func (p *packing) drop() { raw.Drop(p.all...) }

// stage packs every run of segments that one packed segment may replace.
func (p *packing) stage() error {
	for _, run := range p.v.Runs() {
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
		fi, err := os.Stat(st.Temp)
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

// stagePacked writes one segment with the content of several and reads it back.
func (l *Library) stagePacked(ctx context.Context, folder string, run []raw.Segment) (raw.Staged, error) {
	var length int64
	for _, s := range run {
		length += s.Length
	}
	in := raw.Read(folder, run...)
	defer in.Close()
	st, err := raw.Stage(l.temp, disk.Until(ctx, in), run[0].Offset, raw.Best)
	if err != nil {
		return raw.Staged{}, err
	}
	if st.Length != length {
		err = fmt.Errorf("%d bytes of %d", st.Length, length)
	} else {
		err = st.ReadsBack(ctx)
	}
	if err != nil {
		raw.Drop(st)
		return raw.Staged{}, err
	}
	return st, nil
}

// commit brings the packed segments into use.
func (p *packing) commit() error {
	used := []raw.Staged{}
	for _, st := range p.of {
		used = append(used, st)
	}
	if err := raw.Sync(used); err != nil {
		return err
	}
	return p.l.withSession(p.entry.ID, func(now Entry) error {
		v, err := raw.ReadVersions(now.Folder)
		if err != nil {
			return err
		}
		if v.Read != p.v.Read || now.Input != p.entry.Input {
			return fmt.Errorf("it was written to meanwhile: %w", ErrBusy)
		}
		if err := v.Use(now.Folder, p.of, p.l.put); err != nil {
			return err
		}
		if v, err = raw.ReadVersions(now.Folder); err != nil {
			return err
		}
		if err := v.DropStrays(p.ctx, now.Folder); err != nil {
			return err
		}
		now.Packed = now.Input
		return p.l.saveEntry(now)
	})
}
