package team

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"recall/internal/redact"
)

// WorkOptions configure Work.
type WorkOptions struct {
	Once  bool              // stop after one look at what is due
	Every time.Duration     // between two looks; 0 means about a minute
	Did   func(what string) // called for what was done; may be nil
	Fail  func(err error)   // called for what failed; may be nil
}

const longestWork = 10 * time.Minute // limit for one piece of work

// Work does the maintenance of a team's database that belongs to nobody in particular, on any machine that wants to:
// relating people's decisions, deleting what is past its retention and, for an owner, redacting by newer rules what
// nobody else redacts any more. It runs until the context ends; with WorkOptions.Once it looks once and returns the
// last error.
//
// Several workers share the work by looking at different times: what one did is no longer due for the next. Each piece
// has the same result however often it is done, and is done with the rights of its worker's member.
func (t *Team) Work(ctx context.Context, o WorkOptions) error {
	var failed error
	try := func(what string, do func(context.Context) (did string, err error)) {
		ctx, cancel := context.WithTimeout(ctx, longestWork)
		defer cancel()
		switch did, err := do(ctx); {
		case errors.Is(err, context.Canceled): // the run is ending
		case err != nil:
			failed = fmt.Errorf("%s: %w", what, err)
			if o.Fail != nil {
				o.Fail(failed)
			}
		case did != "" && o.Did != nil:
			o.Did(did)
		}
	}
	for hourly := (time.Time{}); ; {
		failed = nil
		try("relate", t.relateDue)
		if time.Since(hourly) > time.Hour {
			try("retain", t.retainDue)
			if t.Member.Owner {
				try("renew", t.renewDue)
			}
			hourly = time.Now()
		}
		if o.Once || ctx.Err() != nil {
			return failed
		}
		pause := o.Every
		if pause == 0 {
			pause = 30*time.Second + rand.N(time.Minute) // so that workers don't all look at once
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
	}
}

// relateDue relates the items of each due project. What one project lacks doesn't keep the others from it.
func (t *Team) relateDue(ctx context.Context) (did string, err error) {
	due, err := t.Due(ctx)
	done := 0
	for _, d := range due {
		if fault := t.Relate(ctx, d); fault != nil {
			err = errors.Join(err, fmt.Errorf("project %d: %w", d.Project, fault))
			continue
		}
		done++
	}
	if done > 0 {
		did = fmt.Sprintf("how the items of %d projects relate to one another", done)
	}
	return did, err
}

func (t *Team) retainDue(ctx context.Context) (did string, err error) {
	gone, err := t.Retain(ctx)
	if gone > 0 {
		did = fmt.Sprintf("%d sessions past their projects' retention were deleted", gone)
	}
	return did, err
}

func (t *Team) renewDue(ctx context.Context) (did string, err error) {
	n, err := t.Renew(ctx, redact.New())
	if n > 0 {
		did = fmt.Sprintf("%d sessions of people who left were redacted by newer rules", n)
	}
	return did, err
}
