package main

import (
	"context"
	"errors"
	"fmt"

	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/pipeline"
)

// Damage of the index may show only when it is written. Whatever writes it goes
// through here or through takeIn: the index is made again, and the work goes on.

// onIndex does something that needs the index and writes to it. One that isn't
// there or is damaged is made from the library first; where the damage shows
// only then, do is called a second time.
func (a *app) onIndex(ctx context.Context, l *library.Library, do func(*pipeline.Pipeline) error) error {
	fresh, err := a.index(l)
	if err == nil && fresh {
		err = a.refill(ctx, l)
	}
	if err != nil {
		return err
	}
	once := func() error {
		p, err := a.pipeline(l)
		if err != nil {
			return err
		}
		return do(p)
	}
	if err = once(); !errors.Is(err, index.ErrRebuild) {
		return err
	}
	a.sayDamaged(err)
	if err := a.refill(ctx, l); err != nil {
		return err
	}
	return once()
}

// forgetSessions forgets them in the library, the index and the caches. A damaged
// index can't be trusted to lose anything: it goes whole, and is made again from
// the library, where they aren't any more.
func (a *app) forgetSessions(ctx context.Context, l *library.Library, f *pipeline.Forgetting, ids ...ingest.SessionID) (left []string, err error) {
	once := func() (fresh bool, err error) {
		if fresh, err = a.index(l); err != nil {
			return fresh, err
		}
		p, err := a.pipeline(l)
		if err == nil && fresh {
			err = p.Forget() // of what is in the index: a sync fills it if the rest here fails
		}
		if err == nil {
			left, err = p.ForgetSessions(ctx, f, ids...)
		}
		return fresh, err
	}
	fresh, err := once()
	if errors.Is(err, index.ErrRebuild) {
		a.sayDamaged(err)
		if err := a.removeIndex(l); err != nil {
			return nil, err
		}
		fresh, err = once()
	}
	if err == nil && fresh {
		err = a.refill(ctx, l)
	}
	return left, err
}

// refill makes the index again from the library. What could not be read there is
// told, and no error.
func (a *app) refill(ctx context.Context, l *library.Library) error {
	err := a.reindex(ctx, l)
	if code := exitCode(0); errors.As(err, &code) {
		return nil
	}
	return err
}

func (a *app) sayDamaged(err error) {
	fmt.Fprintf(a.err, "recall: %v; making it again from the library\n", err)
}

// removeIndex removes the index, which is closed before.
func (a *app) removeIndex(l *library.Library) error {
	if a.ix != nil {
		a.ix.Close()
		a.ix = nil
	}
	return index.Remove(indexPath(l))
}
