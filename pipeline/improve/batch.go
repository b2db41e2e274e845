package improve

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"recall/distill"
	"recall/distill/model"
	"recall/ingest"
	"recall/library"
	"recall/llm"
)

// Batching has requests answered with a batch, within a day and for less: a run
// hands in what it would ask, a later one takes in the answers and goes on from
// there.
type Batching struct {
	Model  llm.Batcher
	Purse  *Purse
	Prices llm.Prices
}

// A poster is an Improver whose requests gather to be sent together.
type poster interface {
	distill.Improver
	Outbox() *model.Outbox
	Answered(key string, r llm.Response, of ...string) error
	Failed(key string, err error, of ...string) error
}

// batchLasts is how long services may take for a batch, and some. Where the
// model isn't the configured one any more nobody can collect it; its requests go
// to the new one then.
const batchLasts = 26 * time.Hour

// batchKept is for how long services keep what they answered.
const batchKept = 29 * 24 * time.Hour

// A batch holds at most so many requests and bytes of them: services take ten
// times as much.
const (
	batchRequests = 2000
	batchText     = 20 << 20
)

// posting is the traffic with batches of one Run.
type posting struct {
	*Batching
	improver poster
	l        *library.Library
	now      func() time.Time
	out      []letter
	onTheWay map[string]bool // keys
	most     int             // requests that go out in this run, half of what the service refused; 0 for all
}

// letter is a request that waits to be sent.
type letter struct {
	key     string
	request llm.Request
	of      []string // the sessions that it is about
	call    llm.Call
}

type sentBatch struct {
	name, id, model string
	at              time.Time
	asks            map[string]library.BatchLine // by key; those of forgotten sessions aren't there
	got             map[string]bool
	found           bool // its id is a guess by what the service has
	done            bool
}

func (a *Asker) posting() *posting {
	improver, ok := a.Improver.(poster)
	if a.Batch == nil || !ok {
		return nil
	}
	return &posting{Batching: a.Batch, improver: improver, l: a.Library, now: a.Time, onTheWay: map[string]bool{}}
}

// outstanding lists the batches that may still be answered, the oldest first.
// Damaged lines cost no others.
func outstanding(l *library.Library) ([]*sentBatch, error) {
	lines, err := l.BatchLines()
	if err != nil && !errors.Is(err, library.ErrDamaged) {
		return nil, err
	}
	var all []*sentBatch
	named := map[string]*sentBatch{}
	for _, line := range lines {
		b := named[line.Batch]
		if b == nil {
			b = &sentBatch{name: line.Batch, at: line.At, asks: map[string]library.BatchLine{}, got: map[string]bool{}}
			named[line.Batch] = b
			all = append(all, b)
		}
		switch line.Op {
		case library.BatchAsk:
			b.asks[line.Key], b.model = line, line.Model
		case library.BatchSent:
			b.id, b.model, b.at, b.found = line.ID, cmp.Or(b.model, line.Model), line.At, line.Found
		case library.BatchGot:
			b.got[line.Key] = true
		case library.BatchDone:
			b.done = true
		}
	}
	return slices.DeleteFunc(all, func(b *sentBatch) bool { return b.done }), nil
}

// collect takes in the answers that have come. A batch that can't be asked about
// now waits for the next time; the error tells of the first such.
func (g *posting) collect(ctx context.Context) error {
	all, err := outstanding(g.l)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return g.l.TidyBatches()
	}
	var fault error
	for _, b := range all {
		ended, err := g.collectOne(ctx, b)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil && fault == nil {
			fault = fmt.Errorf("the batch of %s: %w", b.at.Local().Format("2006-01-02 15:04"), err)
		}
		if ended {
			if err := g.l.NoteBatch(library.BatchLine{Op: library.BatchDone, Batch: b.name, At: g.now()}); err != nil {
				return err
			}
			continue
		}
		for key, line := range b.asks {
			if !b.got[key] {
				g.onTheWay[key] = true
				g.Purse.hold(callOf(line))
			}
		}
	}
	return fault
}

// collectOne takes in what there is of a batch; ended says that no more comes.
// What is missing then expired, and is asked again.
func (g *posting) collectOne(ctx context.Context, b *sentBatch) (ended bool, err error) {
	age := g.now().Sub(b.at)
	switch {
	case b.id == "" && (b.model != g.Model.Name() || age > batchLasts || age < 0):
		return true, nil
	case b.id == "":
		if err := g.find(ctx, b); err != nil || b.id == "" {
			return err == nil, err
		}
	case b.model != g.Model.Name():
		return age > batchLasts || age < 0, nil
	}
	batch, err := g.Model.Collect(ctx, b.id)
	var fault *llm.Error
	if !batch.Ended && err != nil {
		return errors.As(err, &fault) && fault.Unknown() || age > batchKept, err
	}
	if errors.As(err, &fault) && fault.Fault == llm.RateLimited { // more than the service queues for this account
		g.most = max(1, len(b.asks)/2)
	}
	if strangers(b, batch) {
		return true, errors.New("somebody else's: it was taken for one whose id was lost")
	}
	for _, key := range slices.Sorted(maps.Keys(batch.Answers)) {
		if err := g.take(b, key, batch.Answers[key]); err != nil {
			return false, err
		}
	}
	return batch.Ended || age > batchKept, err
}

// strangers reports whether a batch whose id was looked for answers nothing that was
// asked. One whose id the service gave is ours, if it be all about sessions that
// were forgotten since.
func strangers(b *sentBatch, batch llm.Batch) bool {
	if !b.found {
		return false
	}
	for key := range batch.Answers {
		if _, asked := b.asks[key]; asked {
			return false
		}
	}
	return len(batch.Answers) > 0 && len(b.asks) > 0
}

// find finds the id of a batch that somebody was killed while sending, if the
// service has it: else it is asked, and paid, once more.
func (g *posting) find(ctx context.Context, b *sentBatch) error {
	lines, err := g.l.BatchLines()
	if err != nil && !errors.Is(err, library.ErrDamaged) {
		return err
	}
	var known []string
	for _, line := range lines {
		if line.Op == library.BatchSent {
			known = append(known, line.ID)
		}
	}
	id, err := g.Model.Find(ctx, llm.Lost{Name: b.name, Requests: len(b.asks), Since: b.at, Others: known})
	if err != nil || id == "" {
		return err
	}
	b.id, b.found = id, true
	return g.l.NoteBatch(library.BatchLine{Op: library.BatchSent, Batch: b.name, ID: id, Model: b.model, At: b.at,
		Found: true})
}

// take takes in one answer, once, and charges for it. One for a session that was
// forgotten is charged, and kept nowhere.
func (g *posting) take(b *sentBatch, key string, a llm.Answer) error {
	if b.got[key] {
		return nil
	}
	line, known := b.asks[key]
	if known {
		err := a.Err
		if err == nil {
			err = g.improver.Answered(key, a.Response, line.Of...)
		} else {
			err = g.improver.Failed(key, err, line.Of...)
		}
		if err != nil {
			return err
		}
	}
	if err := g.l.NoteBatch(library.BatchLine{Op: library.BatchGot, Batch: b.name, Key: key, At: g.now()}); err != nil {
		return err
	}
	b.got[key] = true
	reserved := callOf(line)
	reserved.Model, reserved.Batch = g.Model.Name(), true
	g.Purse.hold(reserved)
	return g.Purse.Settle(reserved, g.Prices.Took(reserved, a.Response.Usage, a.Err))
}

func callOf(line library.BatchLine) llm.Call {
	return llm.Call{Account: llm.Account{Session: line.Session, Project: line.Project}, Task: line.Task, Model: line.Model,
		Usage: llm.Usage{In: line.In, Out: line.Out}, Cost: line.Cost, Batch: true}
}

// gather takes what the improver has put out for one session.
func (g *posting) gather(e library.Entry) {
	requests := g.improver.Outbox().Take()
	for _, key := range slices.Sorted(maps.Keys(requests)) {
		if g.onTheWay[key] {
			continue
		}
		g.onTheWay[key] = true
		call := g.Prices.Estimate(g.Model.Name(), requests[key], true)
		call.Account = llm.Account{Session: string(e.ID), Project: e.Project}
		g.out = append(g.out, letter{key, requests[key], g.improver.Outbox().Of(key), call})
	}
}

// send hands in all that was gathered and may be paid for. left lists the
// sessions of which something wasn't, for the reason in the error.
func (g *posting) send(ctx context.Context) (left map[ingest.SessionID]bool, err error) {
	left = map[ingest.SessionID]bool{}
	var fault error
	for len(g.out) > 0 && ctx.Err() == nil {
		batch, size := []letter{}, 0
		for len(g.out) > 0 && len(batch) < cmp.Or(g.most, batchRequests) && size < batchText {
			next := g.out[0]
			g.out = g.out[1:]
			if err := g.Purse.Reserve(next.call); err != nil {
				left[ingest.SessionID(next.call.Account.Session)] = true
				fault = cmp.Or(fault, err)
				continue
			}
			size += len(next.request.System) + len(next.request.Prompt)
			batch = append(batch, next)
		}
		if len(batch) == 0 {
			break
		}
		if err := g.sendOne(ctx, batch); err != nil {
			fault = cmp.Or(fault, err)
			g.out = append(batch, g.out...)
			break
		}
		if g.most > 0 && len(g.out) > 0 {
			fault = cmp.Or(fault, errors.New("the service's limit for batches that wait"))
			break
		}
	}
	for _, l := range g.out {
		left[ingest.SessionID(l.call.Account.Session)] = true
	}
	return left, cmp.Or(fault, ctx.Err())
}

// sendOne hands in one batch. What is about to be sent is written down before,
// and that it was after.
func (g *posting) sendOne(ctx context.Context, letters []letter) error {
	var random [6]byte
	rand.Read(random[:])
	name := hex.EncodeToString(random[:])
	requests := map[string]llm.Request{}
	var lines []library.BatchLine
	for _, l := range letters {
		requests[l.key] = l.request
		lines = append(lines, library.BatchLine{Op: library.BatchAsk, Batch: name, At: g.now(), Model: g.Model.Name(),
			Key: l.key, Task: l.call.Task,
			Session: l.call.Account.Session, Of: l.of, Project: l.call.Account.Project, In: l.call.Usage.In,
			Out: l.call.Usage.Out, Cost: l.call.Cost})
	}
	if err := g.l.NoteBatch(lines...); err != nil {
		return err
	}
	within, left := llm.Watched(ctx)
	id, err := g.Model.Submit(within, name, requests)
	if err == nil && strings.TrimSpace(id) == "" {
		err = errors.New("the service gave the batch no name")
	}
	var fault *llm.Error
	if err != nil && left.Load() && (!errors.As(err, &fault) || fault.Unsure()) {
		return err // the service may have it: the next run looks for it
	}
	if err != nil {
		for _, l := range letters {
			g.Purse.Settle(l.call, llm.Call{})
		}
		return errors.Join(err, g.l.NoteBatch(library.BatchLine{Op: library.BatchDone, Batch: name, At: g.now()}))
	}
	return g.l.NoteBatch(library.BatchLine{Op: library.BatchSent, Batch: name, ID: id, Model: g.Model.Name(), At: g.now()})
}

// OnTheWay counts the requests that are on their way with a batch.
func OnTheWay(l *library.Library) (n int, err error) {
	all, err := outstanding(l)
	for _, b := range all {
		n += len(b.asks) - len(b.got)
	}
	return n, err
}
