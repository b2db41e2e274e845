package app

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
// through here or through TakeIn: the index is made again, and the work goes on.

// OnIndex does something that needs the index and writes to it. One that isn't
// there or is damaged is made from the library first; where the damage shows
// only then, do is called a second time.
func (a *App) OnIndex(ctx context.Context, l *library.Library, do func(*pipeline.Pipeline) error) error {
	fresh, err := a.WriteIndex(l)
	if err == nil && fresh {
		err = a.refill(ctx, l)
	}
	if err != nil {
		return err
	}
	once := func() error {
		p, err := a.Pipeline(l)
		if err != nil {
			return err
		}
		return do(p)
	}
	if err = once(); !errors.Is(err, index.ErrRebuild) {
		return err
	}
	a.SayDamaged(err)
	if err := a.refill(ctx, l); err != nil {
		return err
	}
	return once()
}

// ForgetSessions forgets them in the library, the index and the caches. A damaged
// index can't be trusted to lose anything: it goes whole, and is made again from
// the library, where they aren't any more.
func (a *App) ForgetSessions(ctx context.Context, l *library.Library, f *pipeline.Forgetting,
	ids ...ingest.SessionID) (left []string, err error) {
	once := func() (fresh bool, err error) {
		if fresh, err = a.WriteIndex(l); err != nil {
			return fresh, err
		}
		p, err := a.Pipeline(l)
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
		a.SayDamaged(err)
		if err := a.RemoveIndex(l); err != nil {
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
func (a *App) refill(ctx context.Context, l *library.Library) error {
	err := a.Reindex(ctx, l)
	if code := ExitCode(0); errors.As(err, &code) {
		return nil
	}
	return err
}

func (a *App) SayDamaged(err error) {
	fmt.Fprintf(a.Err, "recall: %v; making it again from the library\n", err)
}

// RemoveIndex removes the index, which is closed before.
func (a *App) RemoveIndex(l *library.Library) error {
	if a.Index != nil {
		a.Index.Close()
		a.Index = nil
	}
	return index.Remove(IndexPath(l))
}
