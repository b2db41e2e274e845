package pipeline

import (
	"context"
	"errors"
	"slices"
	"time"

	"recall/library"
)

// pack packs quiet sessions one after the other until the time is used up; the next run continues.
func (r *run) pack(ctx context.Context, limit time.Duration) error {
	now := r.p.Time()
	work, err := r.p.Library.Sessions()
	if err != nil {
		return err
	}
	work = slices.DeleteFunc(work, func(e library.Entry) bool { return !e.ToPack(now) })
	start := time.Now()
	for i, e := range work {
		if time.Since(start) > limit {
			break
		}
		switch p, err := r.p.Library.Pack(ctx, e.ID); {
		case err == nil:
			r.keepKey(e.ID)
			if p.Before > p.After {
				r.report.Packed++
				r.report.Saved += p.Before - p.After
			}
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, library.ErrBusy), errors.Is(err, library.ErrNoSession): // being written to: it waits
		default: // damage: recall check says more
			r.report.problem(e.Folder, err)
		}
		r.p.Tell(Progress{Stage: "pack", Done: i + 1, Total: len(work)})
	}
	return nil
}
