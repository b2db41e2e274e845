package pipeline

import (
	"context"
	"errors"
	"time"

	"recall/library"
)

// pack packs quiet sessions one after the other until the time is used up; the next run continues.
func (r *run) pack(ctx context.Context, limit time.Duration) error {
	now := r.p.Time()
	due, _ := time.Parse(time.RFC3339, r.seen.facts[packDue]) // zero if it isn't known
	if r.report.New+r.report.Grown == 0 && now.Before(due) && due.Before(now.Add(2*library.QuietToPack)) {
		return nil
	}
	entries, err := r.p.Library.Sessions()
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
	r.seen.setFact(packDue, next.UTC().Format(time.RFC3339))
	return nil
}
