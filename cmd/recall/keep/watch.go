package keep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"recall/cmd/recall/app"
	"recall/index"
	"recall/library"
	"recall/pipeline"
	"recall/pipeline/improve"
)

// Watch takes in what is new until it is stopped, which is no error.
func Watch(ctx context.Context, a *app.App) error {
	l, err := a.LibraryToFill(ctx, nil)
	if err != nil {
		return err
	}
	fmt.Fprintln(a.Err, "recall: watching; Ctrl-C ends it, nothing is lost")
	var renewed time.Time
	for {
		err := watchOn(ctx, a, l)
		if errors.Is(err, index.ErrReplaced) {
			fmt.Fprintf(a.Err, "recall: %v; looking at everything again\n", err)
			if err := a.ForgetSeen(l); err != nil {
				return err
			}
			continue
		}
		if !errors.Is(err, index.ErrRebuild) || time.Since(renewed) < soonDamaged {
			return err
		}
		a.SayDamaged(err)
		renewed = time.Now()
		if err := a.RemoveIndex(l); err != nil {
			return err
		}
	}
}

// An index that is damaged so soon after it was made again is no accident.
const soonDamaged = time.Minute

// ends reports whether the index must be opened anew.
func ends(err error) bool {
	return errors.Is(err, index.ErrRebuild) || errors.Is(err, index.ErrReplaced)
}

// watchOn watches until it is stopped, or the index turns out to be damaged or
// replaced, which is an error. The first look of the next one fills it again.
func watchOn(ctx context.Context, a *app.App, l *library.Library) error {
	p, err := a.Indexer(l)
	if err != nil {
		return err
	}
	asker, err := a.Asker(ctx, l, false)
	if err != nil {
		fmt.Fprintf(a.Err, "recall: no model is asked: %v\n", err)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	o := pipeline.WatchOptions{Quiet: a.Quiet, Report: func(r pipeline.Report, err error) {
		if ends(err) {
			stop(err)
			return
		}
		printWatched(a, r, err)
	}, Say: func(text string) {
		fmt.Fprintln(a.Err, "recall: "+text)
	}}
	if asker != nil {
		o.Ask = func(ctx context.Context) {
			if err := askWhileWatching(ctx, a, asker); ends(err) {
				stop(err)
			} else if err != nil {
				fmt.Fprintf(a.Err, "recall: %s %v; asking again later\n", time.Now().Format("15:04:05"), err)
			}
		}
	}
	err = p.Watch(ctx, o)
	if cause := context.Cause(ctx); err == nil && ends(cause) {
		return cause
	}
	return err
}

// askWhileWatching asks the model, and says what came of it.
func askWhileWatching(ctx context.Context, a *app.App, asker *improve.Asker) error {
	if err := asker.Index.Replaced(); err != nil {
		return err
	}
	r, err := asker.Run(ctx, improve.Options{Quiet: a.Config.Distill.Quiet, AtOnce: a.Config.LLM.Concurrency})
	err = cmp.Or(err, asker.Index.Replaced()) // it was, meanwhile
	if ctx.Err() != nil {
		return nil
	}
	if err != nil || r.Improved+r.Links+len(r.Problems) == 0 {
		return err
	}
	r.By = asker.Improver.Name()
	fmt.Fprintln(a.Out, time.Now().Format("15:04:05"), strings.Join(app.Asked(&r), "; "))
	a.PrintProblems(r.Problems)
	return nil
}

func printWatched(a *app.App, r pipeline.Report, err error) {
	now := time.Now().Format("15:04:05")
	if err != nil {
		fmt.Fprintf(a.Err, "recall: %s %v; trying again\n", now, err)
		return
	}
	parts := app.Did(r)
	if r.Indexed > r.Distilled { // made again
		parts = append(parts, fmt.Sprintf("%d indexed", r.Indexed))
	}
	fmt.Fprintln(a.Out, now, strings.Join(parts, ", "))
	a.PrintProblems(r.Problems)
}
