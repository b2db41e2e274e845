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
	"recall/internal/llm"
	"recall/library"
)

// Batching has requests answered in a batch, within a day and at a lower price: one run submits its requests, a
// later one collects the answers and continues from there.
type Batching struct {
	Model  llm.Batcher
	Purse  *Purse
	Prices llm.Prices
}

// A batchImprover is an Improver that gathers its requests to be sent together.
type batchImprover interface {
	distill.Improver
	Outbox() *model.Outbox
	Answered(key string, r llm.Response, of ...string) error
	Failed(key string, err error, of ...string) error
}

// batchTimeout is somewhat longer than services may take for a batch. If the model is no longer the configured one,
// nobody can collect its batch; the requests then go to the new model.
const batchTimeout = 26 * time.Hour

// batchKept is how long services keep their answers.
const batchKept = 29 * 24 * time.Hour

// The maximum of requests in a batch and of bytes in them: services accept ten times as much.
const (
	batchRequests = 2000
	batchText     = 20 << 20
)

// batchRun handles the batches of one Run.
type batchRun struct {
	*Batching
	improver batchImprover
	l        *library.Library
	now      func() time.Time
	out      []outgoing
	onTheWay map[string]bool // keys
	most     int             // maximum of requests to send: half of what the service refused; 0 for no maximum
}

// outgoing is a request waiting to be sent.
type outgoing struct {
	key     string
	request llm.Request
	of      []string // the sessions it is about
	call    llm.Call
}

type sentBatch struct {
	name, id, model string
	at              time.Time
	asks            map[string]library.BatchLine // by key, without those of forgotten sessions
	got             map[string]bool
	found           bool // its id was guessed from the service's list
	done            bool
}

func (a *Asker) batchRun() *batchRun {
	improver, ok := a.Improver.(batchImprover)
	if a.Batch == nil || !ok {
		return nil
	}
	return &batchRun{Batching: a.Batch, improver: improver, l: a.Library, now: a.Time, onTheWay: map[string]bool{}}
}

// outstanding lists the batches that may still be answered, oldest first. Damaged lines don't affect others.
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

// collect processes the answers that have arrived. A batch that can't be queried now is tried again next time; the
// error is that of the first such.
func (g *batchRun) collect(ctx context.Context) error {
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

// collectOne processes the answers of a batch; ended says that no more will come. What is missing then has expired
// and is asked again.
func (g *batchRun) collectOne(ctx context.Context, b *sentBatch) (ended bool, err error) {
	age := g.now().Sub(b.at)
	switch {
	case b.id == "" && (b.model != g.Model.Name() || age > batchTimeout || age < 0):
		return true, nil
	case b.id == "":
		if err := g.find(ctx, b); err != nil || b.id == "" {
			return err == nil, err
		}
	case b.model != g.Model.Name():
		return age > batchTimeout || age < 0, nil
	}
	batch, err := g.Model.Collect(ctx, b.id)
	var fault *llm.Error
	if !batch.Ended && err != nil {
		return errors.As(err, &fault) && fault.Unknown() || age > batchKept, err
	}
	if errors.As(err, &fault) && fault.Fault == llm.RateLimited { // over the service's queue limit for this account
		g.most = max(1, len(b.asks)/2)
	}
	if foreign(b, batch) {
		return true, errors.New("it is somebody else's, and was mistaken for one whose id was lost")
	}
	for _, key := range slices.Sorted(maps.Keys(batch.Answers)) {
		if err := g.takeAnswer(b, key, batch.Answers[key]); err != nil {
			return false, err
		}
	}
	return batch.Ended || age > batchKept, err
}

// foreign reports whether a batch whose id was guessed answers nothing that was asked. If the service gave the id,
// the batch is ours, even if all its sessions were forgotten since.
func foreign(b *sentBatch, batch llm.Batch) bool {
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

// find looks for the id of a batch if recall was killed while submitting it; if the service doesn't have it, it is
// submitted, and paid for, again.
func (g *batchRun) find(ctx context.Context, b *sentBatch) error {
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

// takeAnswer processes one answer, once, and pays for it. One for a forgotten session is paid for but not kept.
func (g *batchRun) takeAnswer(b *sentBatch, key string, a llm.Answer) error {
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

// gather takes the improver's requests for one session.
func (g *batchRun) gather(e library.Entry) {
	requests := g.improver.Outbox().Take()
	for _, key := range slices.Sorted(maps.Keys(requests)) {
		if g.onTheWay[key] {
			continue
		}
		g.onTheWay[key] = true
		call := g.Prices.Estimate(g.Model.Name(), requests[key], true)
		call.Account = llm.Account{Session: string(e.ID), Project: e.Project}
		g.out = append(g.out, outgoing{key, requests[key], g.improver.Outbox().Of(key), call})
	}
}

// send submits everything gathered that can be paid for. left lists the sessions with requests that weren't sent,
// for the reason in the error.
func (g *batchRun) send(ctx context.Context) (left map[ingest.SessionID]bool, err error) {
	left = map[ingest.SessionID]bool{}
	var fault error
	for len(g.out) > 0 && ctx.Err() == nil {
		batch, size := []outgoing{}, 0
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
			fault = cmp.Or(fault, errors.New("the service's limit for queued batches"))
			break
		}
	}
	for _, l := range g.out {
		left[ingest.SessionID(l.call.Account.Session)] = true
	}
	return left, cmp.Or(fault, ctx.Err())
}

// sendOne submits one batch. It records the requests before, and the submission after.
func (g *batchRun) sendOne(ctx context.Context, batch []outgoing) error {
	var random [6]byte
	rand.Read(random[:])
	name := hex.EncodeToString(random[:])
	requests := map[string]llm.Request{}
	var lines []library.BatchLine
	for _, l := range batch {
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
		return err // the service may have it: the next run checks
	}
	if err != nil {
		for _, l := range batch {
			g.Purse.Settle(l.call, llm.Call{})
		}
		return errors.Join(err, g.l.NoteBatch(library.BatchLine{Op: library.BatchDone, Batch: name, At: g.now()}))
	}
	return g.l.NoteBatch(library.BatchLine{Op: library.BatchSent, Batch: name, ID: id, Model: g.Model.Name(), At: g.now()})
}

// OnTheWay counts the requests in batches that aren't answered yet.
func OnTheWay(l *library.Library) (n int, err error) {
	all, err := outstanding(l)
	for _, b := range all {
		n += len(b.asks) - len(b.got)
	}
	return n, err
}
