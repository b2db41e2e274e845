package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"recall/ingest"
	"recall/library"
	"recall/library/disk"
)

// packDue holds the Unix time before which no session needs packing, so that
// looking for one costs nothing while nothing changes. Losing it costs one look.
func (p *Pipeline) packDue() string { return filepath.Join(p.Cache, "pack-due") }

// pack packs sessions that are quiet, one after the other, until the time is
// used up; the next run goes on.
func (r *run) pack(ctx context.Context, limit time.Duration) error {
	now := r.Time()
	if r.report.New+r.report.Grown == 0 && r.notDue(now) {
		return nil
	}
	entries, err := r.Library.Sessions()
	if err != nil {
		return err
	}
	var work []library.Entry
	next := now.Add(library.QuietToPack)
	for _, e := range entries {
		switch {
		case e.ToPack(now):
			work = append(work, e)
		case e.Packed != e.Input:
			if due := now.Add(library.QuietToPack - e.Quiet(now)); due.Before(next) {
				next = due
			}
		}
	}
	start := time.Now()
	for i, e := range work {
		if time.Since(start) > limit {
			next = now
			break
		}
		if err := r.packOne(ctx, e); err != nil {
			return err
		}
		r.Tell(Progress{Stage: "pack", Done: i + 1, Total: len(work)})
	}
	return errors.Join(os.MkdirAll(r.Cache, 0o700), disk.WritePlain(r.packDue(), fmt.Append(nil, next.Unix(), "\n")))
}

func (r *run) notDue(now time.Time) bool {
	text, err := disk.ReadPlain(r.packDue())
	due, err2 := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return err == nil && err2 == nil && now.Before(time.Unix(due, 0)) &&
		time.Unix(due, 0).Before(now.Add(2*library.QuietToPack))
}

// packOne packs a session. One that somebody is writing to waits; damage is a
// problem of the report, and recall verify tells more.
func (r *run) packOne(ctx context.Context, e library.Entry) error {
	p, err := r.Library.Pack(ctx, e.ID)
	switch {
	case err == nil:
		r.notePacked(e)
		r.report.Packed++
		r.report.Saved += p.Before - p.After
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, library.ErrBusy), errors.Is(err, library.ErrNoSession):
	default:
		r.report.Problems = append(r.report.Problems, ingest.Problem{Path: e.Folder, Reason: err.Error()})
	}
	return nil
}
