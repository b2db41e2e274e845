// Package work does the maintenance of a team's database that belongs to no particular person, on any machine
// that wants to: relating people's decisions, deleting what is past its retention, and redacting by newer rules
// what nobody else redacts any more.
//
// The jobs are River's, in the team's database: one worker has a job at a time, and a dead worker's job goes to
// another. A job only names what to look at, so that one done twice, or inserted by hand, does no harm; and
// each runs with the rights of its worker's member. Questions are answered without any worker, too.
//
// Any member can write River's tables, so jobs only share out the work. The sessions themselves tell what is
// due, and a worker does without a job what no job does in time.
package work

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"recall/internal/redact"
	"recall/team"
)

// Options configure a run.
type Options struct {
	Once bool              // stop when nothing is due
	Did  func(what string) // called for each job that did something; may be nil
	Fail func(err error)   // called for each job that failed; may be nil

	// for tests; 0 means the default
	looks, polls    time.Duration // intervals of looking for what is due, and for jobs
	still, patience time.Duration // see usualStill and usualPatience
	begun           func()        // called when a job starts
	now             func() time.Time
}

const (
	usualLook = time.Minute
	usualPoll = 5 * time.Second
	longest   = 10 * time.Minute // limit for a job, and for waiting for jobs with Options.Once
	lost      = 15 * time.Minute // after this time a job goes to another worker
	ownersOwn = "owner"          // queue for jobs that only an owner of the team can do

	usualStill    = 10 * time.Second // without progress, after which a run with Options.Once does what is due without jobs
	usualPatience = 20 * time.Second // with River's tables, which somebody may have locked
)

type relate struct {
	Project int `json:"project"`
}

type retain struct{}

type renew struct{}

func (relate) Kind() string { return "relate" }
func (retain) Kind() string { return "retain" }
func (renew) Kind() string  { return "renew" }

// queueOf is the queue for a project's jobs, taken by workers who can read the project.
func queueOf(project int) string { return fmt.Sprintf("p%d", project) }

// worker is one run.
type worker struct {
	t      *team.Team
	o      Options
	client *river.Client[pgx.Tx] // nil until it is started
	stop   func()
	rules  func() *redact.Rules
	began  time.Time

	queues map[string]bool
	due    map[string]time.Time // by stamp, since when a project has been due

	mu         sync.Mutex
	failed     error                // the last failure
	doing      int                  // running jobs
	progressed time.Time            // when one last did something
	done       map[string]time.Time // when this worker last did an hourly kind of job
}

// Run works until the context ends, or with Options.Once until nothing is due; then it returns the last job's
// error.
func Run(ctx context.Context, t *team.Team, o Options) error {
	if o.now == nil {
		o.now = time.Now
	}
	o.still, o.patience = cmp.Or(o.still, usualStill), cmp.Or(o.patience, usualPatience)
	w := &worker{t: t, o: o, rules: sync.OnceValue(redact.New), queues: map[string]bool{river.QueueDefault: true},
		done: map[string]time.Time{}, began: o.now(), progressed: o.now(), stop: func() {}}
	if t.Member.Owner {
		w.queues[ownersOwn] = true
	}
	if !o.Once { // leave the first hour to jobs
		w.done[retain{}.Kind()], w.done[renew{}.Kind()] = w.began, w.began
	}
	defer func() { w.stop() }()
	for {
		due, err := w.look(ctx)
		if err == nil {
			err = w.work(ctx, due)
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, errEnd):
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.failed
		case err != nil && (o.Once || !errors.Is(err, team.ErrUnreachable)):
			return err
		case err != nil:
			w.fail(err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(w.pause()):
		}
	}
}

var errEnd = errors.New("nothing is due")

// look lists what is due and records since when.
func (w *worker) look(ctx context.Context) ([]team.Due, error) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	due, err := w.t.Due(ctx)
	if err != nil {
		return nil, err
	}
	was := w.due
	w.due = map[string]time.Time{}
	for _, d := range due {
		if w.due[d.Stamp] = w.o.now(); !was[d.Stamp].IsZero() {
			w.due[d.Stamp] = was[d.Stamp]
		}
	}
	return due, nil
}

// work lets jobs do what is due, and does itself what they don't do in time. The error is errEnd when this run
// is done.
func (w *worker) work(ctx context.Context, due []team.Due) error {
	waiting, fault := w.jobs(ctx, due)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if fault != nil { // broken or locked River tables must not stop the work
		w.fail(fmt.Errorf("jobs: %w", fault))
	}
	if w.o.Once && fault == nil && waiting && !w.stuck() {
		return nil
	}
	if w.o.Once || fault != nil { // the client may hold all connections, waiting
		w.stop()
		w.client = nil
	}
	for _, d := range due {
		if w.o.Once || w.o.now().Sub(w.due[d.Stamp]) > lost {
			w.due[d.Stamp] = w.o.now()
			w.withoutJob(ctx, relate{}, func(ctx context.Context) (string, error) { return w.relateDue(ctx, d) })
		}
	}
	w.hourly(ctx, retain{}, w.retain)
	if w.t.Member.Owner {
		w.hourly(ctx, renew{}, w.renew)
	}
	if w.o.Once {
		return errEnd
	}
	return nil
}

// stuck reports whether jobs are waiting that nobody seems to do.
func (w *worker) stuck() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.o.now()
	return w.doing == 0 && now.Sub(w.progressed) > w.o.still || now.Sub(w.began) > longest
}

// hourly does a job that is due every hour, if this worker hasn't done it for two.
func (w *worker) hourly(ctx context.Context, job river.JobArgs, do func(context.Context) (string, error)) {
	w.mu.Lock()
	last := w.done[job.Kind()]
	w.mu.Unlock()
	if w.o.now().Sub(last) > 2*time.Hour {
		w.withoutJob(ctx, job, do)
	}
}

// withoutJob does the work of a job without one.
func (w *worker) withoutJob(ctx context.Context, job river.JobArgs, do func(context.Context) (string, error)) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	_ = w.report(ctx, job, do)
}

func (w *worker) pause() time.Duration {
	switch {
	case w.o.looks > 0:
		return w.o.looks
	case w.o.Once:
		return 200 * time.Millisecond
	}
	return usualLook
}

func (w *worker) start(ctx context.Context) error {
	jobs := river.NewWorkers()
	river.AddWorker(jobs, workerFor(w, w.relate))
	river.AddWorker(jobs, workerFor(w, func(ctx context.Context, _ retain) (string, error) { return w.retain(ctx) }))
	river.AddWorker(jobs, workerFor(w, func(ctx context.Context, _ renew) (string, error) { return w.renew(ctx) }))
	polls := w.o.polls
	switch {
	case polls == 0 && w.o.Once:
		polls = 100 * time.Millisecond
	case polls == 0:
		polls = usualPoll
	}
	queues := map[string]river.QueueConfig{}
	for name := range w.queues {
		queues[name] = river.QueueConfig{MaxWorkers: 1}
	}
	client, err := river.NewClient(riverpgxv5.New(w.t.Pool()), &river.Config{
		ID: "recall " + rand.Text(), Schema: "recall", Workers: jobs, Queues: queues, MaxAttempts: 5,
		JobTimeout: longest, RescueStuckJobsAfter: lost,
		FetchPollInterval: polls, FetchCooldown: min(polls, time.Second),
		PollOnly:            true,       // a transaction pooler doesn't pass on notifications
		ReindexerIndexNames: []string{}, // only the tables' owner can do that
		Logger:              slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx) // for everything the client does
	late := time.AfterFunc(w.o.patience, cancel)
	if err := client.Start(ctx); err != nil || !late.Stop() {
		cancel()
		return cmp.Or(err, context.DeadlineExceeded)
	}
	w.client, w.stop = client, func() {
		w.stop = func() {}
		end, ended := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer ended()
		_ = client.StopAndCancel(end) // another worker does the rest
		cancel()
	}
	return nil
}

// workerFor turns a function into a job. Errors are reported locally, since the database would show them to everybody.
func workerFor[T river.JobArgs](w *worker, do func(context.Context, T) (did string, err error)) river.Worker[T] {
	return river.WorkFunc(func(ctx context.Context, job *river.Job[T]) error {
		if w.o.begun != nil {
			w.o.begun()
		}
		err := w.report(ctx, job.Args, func(ctx context.Context) (string, error) { return do(ctx, job.Args) })
		if err != nil {
			return errors.New("its worker's output has the details")
		}
		return nil
	})
}

// report does something and reports the outcome.
func (w *worker) report(ctx context.Context, job river.JobArgs, do func(context.Context) (string, error)) error {
	w.mu.Lock()
	w.doing++
	w.mu.Unlock()
	did, err := do(ctx)
	w.mu.Lock()
	w.doing--
	if did != "" {
		w.progressed = w.o.now()
	}
	if err == nil {
		w.done[job.Kind()] = w.o.now()
	}
	w.mu.Unlock()
	switch {
	case errors.Is(err, context.Canceled): // the run is ending
	case err != nil:
		err = fmt.Errorf("%s: %w", job.Kind(), err)
		w.fail(err)
	case did != "" && w.o.Did != nil:
		w.o.Did(did)
	}
	return err
}

func (w *worker) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failed = err
	if w.o.Fail != nil {
		w.o.Fail(err)
	}
}

// jobs inserts what is due as jobs, each once for all workers, and reports whether any are waiting for this
// worker.
func (w *worker) jobs(ctx context.Context, due []team.Due) (waiting bool, err error) {
	if w.client == nil {
		if err := w.start(ctx); err != nil {
			return false, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, w.o.patience)
	defer cancel()
	hourly := river.InsertOpts{UniqueOpts: river.UniqueOpts{ByPeriod: time.Hour}}
	jobs := []river.InsertManyParams{{Args: retain{}, InsertOpts: &hourly}}
	if w.t.Member.Owner {
		owners := hourly
		owners.Queue = ownersOwn
		jobs = append(jobs, river.InsertManyParams{Args: renew{}, InsertOpts: &owners})
	}
	for _, d := range due {
		queue := queueOf(d.Project)
		if !w.queues[queue] {
			if err := w.client.Queues().Add(queue, river.QueueConfig{MaxWorkers: 1}); err != nil {
				return false, err
			}
			w.queues[queue] = true
		}
		jobs = append(jobs, river.InsertManyParams{Args: relate{d.Project}, InsertOpts: &river.InsertOpts{Queue: queue,
			UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: unfinished}}})
	}
	if _, err := w.client.InsertMany(ctx, jobs); err != nil {
		return false, err
	}
	var queues []string
	for q := range w.queues {
		queues = append(queues, q)
	}
	err = w.t.Pool().QueryRow(ctx, `SELECT EXISTS(SELECT FROM recall.river_job WHERE state IN ('available', 'running')
		AND queue = ANY($1))`, queues).Scan(&waiting)
	return waiting, err
}

// unfinished are the states of a job that prevent inserting the same again.
var unfinished = []rivertype.JobState{rivertype.JobStateAvailable, rivertype.JobStatePending,
	rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled}

func (w *worker) relate(ctx context.Context, job relate) (did string, err error) {
	due, err := w.t.Due(ctx)
	if err != nil {
		return "", err
	}
	for _, d := range due {
		if d.Project == job.Project {
			return w.relateDue(ctx, d)
		}
	}
	return "", nil // somebody else did it
}

func (w *worker) relateDue(ctx context.Context, d team.Due) (did string, err error) {
	return fmt.Sprintf("project %d: how its items relate to one another", d.Project), w.t.Relate(ctx, d)
}

func (w *worker) retain(ctx context.Context) (did string, err error) {
	gone, err := w.t.Retain(ctx)
	if gone > 0 {
		did = fmt.Sprintf("%d sessions past their projects' retention were deleted", gone)
	}
	return did, err
}

func (w *worker) renew(ctx context.Context) (did string, err error) {
	n, err := w.t.Renew(ctx, w.rules())
	if n > 0 {
		did = fmt.Sprintf("%d sessions of people who left were redacted by newer rules", n)
	}
	return did, err
}
