package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"recall/index"
	"recall/library"
	"recall/pipeline"
)

// watch takes in what is new until it is stopped, which is no error.
func (a *app) watch(ctx context.Context) error {
	l, made, err := a.createLibrary(ctx)
	if err != nil {
		return err
	}
	if made {
		fmt.Fprintf(a.err, "recall: made a library in %s\n", l.Dir())
		a.warnPlace(l)
	}
	fmt.Fprintln(a.err, "recall: watching; Ctrl-C ends it, nothing is lost")
	var renewed time.Time
	for {
		err := a.watchOn(ctx, l)
		if errors.Is(err, index.ErrReplaced) {
			fmt.Fprintf(a.err, "recall: %v; looking at everything again\n", err)
			if err := a.forgetSeen(l); err != nil {
				return err
			}
			continue
		}
		if !errors.Is(err, index.ErrRebuild) || time.Since(renewed) < soonDamaged {
			return err
		}
		a.sayDamaged(err)
		renewed = time.Now()
		if err := a.removeIndex(l); err != nil {
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

// forgetSeen has the next sync look at everything again.
func (a *app) forgetSeen(l *library.Library) error {
	p, err := a.pipeline(l)
	if err == nil {
		err = p.Forget()
	}
	return err
}

// watchOn watches until it is stopped, or the index turns out to be damaged or
// replaced, which is an error. The first look of the next one fills it again.
func (a *app) watchOn(ctx context.Context, l *library.Library) error {
	fresh, err := a.index(l)
	if err != nil {
		return err
	}
	p, err := a.pipeline(l)
	if err != nil {
		return err
	}
	if fresh {
		if err := p.Forget(); err != nil {
			return err
		}
	}
	asker, improver, err := a.asker(ctx, l, false)
	switch {
	case err != nil:
		fmt.Fprintf(a.err, "recall: no model is asked: %v\n", err)
	case asker != nil:
		p = asker
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	err = p.Watch(ctx, pipeline.WatchOptions{Quiet: a.quiet, Report: func(r pipeline.Report, err error) {
		if ends(err) {
			stop(err)
			return
		}
		a.printWatched(r, err)
	}, Say: func(text string) {
		fmt.Fprintln(a.err, "recall: "+text)
	}, Ask: pipeline.ImproveOptions{Quiet: a.cfg.Distill.Quiet, AtOnce: a.cfg.LLM.Concurrency}, Asked: func(r pipeline.Improved, err error) {
		if ends(err) {
			stop(err)
			return
		}
		if err != nil {
			fmt.Fprintf(a.err, "recall: %s %v; asking again later\n", time.Now().Format("15:04:05"), err)
			return
		}
		fmt.Fprintln(a.out, time.Now().Format("15:04:05"), improvedLine(r, improver.Name()))
		a.printProblems(r.Problems)
	}})
	if cause := context.Cause(ctx); err == nil && ends(cause) {
		return cause
	}
	return err
}

// improvedLine is what asking a model came to, in one line.
func improvedLine(r pipeline.Improved, name string) string {
	parts := []string{fmt.Sprintf("%s distilled by %s", count(r.Improved, "session"), strings.TrimPrefix(name, "model/"))}
	if r.Waiting > 0 {
		parts = append(parts, fmt.Sprintf("%s for it: %s", waits(r.Waiting), oneLine(r.Why)))
	}
	return strings.Join(parts, "; ")
}

// printWatched prints one line for what one look found.
func (a *app) printWatched(r pipeline.Report, err error) {
	now := time.Now().Format("15:04:05")
	if err != nil {
		fmt.Fprintf(a.err, "recall: %s %v; trying again\n", now, err)
		return
	}
	parts := []string{}
	for _, p := range []struct {
		n    int
		what string
	}{{r.New, "new"}, {r.Grown, "grown"}, {r.Vanished, "vanished at their source"}, {r.Packed, "packed"}, {r.Distilled, "distilled"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	if r.Indexed > r.Distilled { // made again
		parts = append(parts, fmt.Sprintf("%d indexed", r.Indexed))
	}
	if r.Bytes > 0 {
		parts = append(parts, size(r.Bytes)+" archived")
	}
	fmt.Fprintln(a.out, now, strings.Join(parts, ", "))
	a.printProblems(r.Problems)
}
