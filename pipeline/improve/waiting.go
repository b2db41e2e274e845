package improve

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"recall/internal/llm"
	"recall/library"
	"recall/library/calls"
)

// restsUntil returns until when a session that failed is to be left alone: for one night after the first failure, then
// twice as long each time, up to four weeks.
func restsUntil(t calls.Try) time.Time {
	if t.Failed == 0 {
		return t.At
	}
	nights := 1 << min(t.Failed-1, 5)
	wait := time.Duration(min(nights, 28))*24*time.Hour - 4*time.Hour // nightly runs don't start at the exact minute
	return t.At.Add(wait)
}

func isResting(t calls.Try, now time.Time) bool {
	return now.Before(restsUntil(t)) && !now.Before(t.At)
}

// downAfter is how many sessions in a row may go unanswered, despite retries, before the service counts as down.
const downAfter = 3

// excusedFaults is how many temporary faults in a row aren't held against the session.
const excusedFaults = 2

// fault handles a session that got no payload from the model; it keeps the one it has. Temporary faults are retried
// on the next run, others after longer and longer waits; if no session would be answered, the asking ends.
func (g *asking) fault(ctx context.Context, e library.Entry, err error) {
	var fault *llm.Error
	var capped *llm.Capped
	switch {
	case ctx.Err() != nil:
		g.unasked()
	case errors.As(err, &capped):
		g.waits(err)
		if capped.Cap != "session" {
			g.stop(err)
			return
		}
		g.failedAgain(e, "budget used up", false)
	case errors.As(err, &fault):
		g.waits(err)
		down := false
		if fault.Passing() {
			g.tally(func() { g.silent++; down = g.silent >= downAfter })
		}
		switch {
		case fault.Ends() || down:
			g.stop(err)
		case fault.Fault == llm.TimedOut || !fault.Passing():
			g.failedAgain(e, inShort(fault), fault.Passing())
		}
	default:
		g.skip(e, err)
	}
}

// skip handles a fault of recall's own.
func (g *asking) skip(e library.Entry, err error) {
	g.problem(e.Folder, err)
	g.waits(err)
	g.failedAgain(e, "a fault of recall's", false)
}

func (g *asking) failedAgain(e library.Entry, why string, passing bool) {
	t := calls.Try{Session: e.ID, Input: e.Input, Failed: g.tries[e.ID].Failed, Slow: g.tries[e.ID].Slow, Fault: why}
	if passing && t.Slow < excusedFaults {
		t.Slow++
	} else {
		t.Failed++
	}
	g.note(t)
}

func (g *asking) note(t calls.Try) {
	t.At = g.Time()
	if err := calls.NoteTry(g.Library, t); err != nil {
		g.problem(g.Library.Dir(), err)
	}
}

func (g *asking) waits(why error) {
	g.tally(func() { g.out.Waiting++; g.why.add(why) })
}

// unasked counts a session left over when the asking ended.
func (g *asking) unasked() {
	g.tally(func() { g.out.Waiting++; g.why.add(g.stopping) })
}

// inShort describes a fault without anything of what was asked.
func inShort(e *llm.Error) string {
	if e.Status != 0 {
		return fmt.Sprintf("%s (%d)", e.Fault, e.Status)
	}
	return string(e.Fault)
}

// reasons counts why sessions wait, by the reason in short.
type reasons map[string]*reason

type reason struct {
	n     int
	cause error // the first of its kind; nil for an interrupt
}

func (r reasons) add(err error) {
	var fault *llm.Error
	var capped *llm.Capped
	why := "interrupted"
	switch {
	case err == nil:
	case errors.As(err, &fault):
		why = inShort(fault)
	case errors.As(err, &capped):
		why = capped.Error()
	default:
		why = err.Error()
	}
	if r[why] == nil {
		r[why] = &reason{cause: err}
	}
	r[why].n++
}

// most returns the most frequent reason.
func (r reasons) most() (why string, cause error) {
	most := 0
	for _, name := range slices.Sorted(maps.Keys(r)) {
		if r[name].n > most {
			most, why, cause = r[name].n, name, r[name].cause
		}
	}
	return why, cause
}
