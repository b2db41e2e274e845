package pipeline

import (
	"context"
	"errors"
	"time"

	"recall/library"
)

// pack packs quiet sessions one after the other until the time is used up; the next run continues.
func (r *intake) pack(ctx context.Context, limit time.Duration) error {
	now := r.of.Time()
	due := r.seen.PackDue
	if r.report.New+r.report.Grown == 0 && now.Before(due) && due.Before(now.Add(2*library.QuietToPack)) {
		return nil
	}
	entries, err := r.of.Library.Sessions()
	if err != nil {
		return err
	}
	var work []library.Entry
	next := now.Add(library.QuietToPack)
	for _, e := range entries {
		switch {
		case e.ToPack(now):
			work = append(work, e)
		case e.HasUnpacked():
			next = Earlier(next, now.Add(library.QuietToPack-e.Quiet(now)))
		}
	}
	start := time.Now()
	for i, e := range work {
		if time.Since(start) > limit {
			next = now
			break
		}
		switch p, err := r.of.Library.Pack(ctx, e.ID); {
		case err == nil:
			if _, ok := r.seen.Sessions[e.ID]; ok {
				r.enter(e)
			}
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
		r.of.Tell(Progress{Stage: "pack", Done: i + 1, Total: len(work)})
	}
	r.seen.PackDue, r.seen.dirty = next, true
	return nil
}
