// Package work does what a team's database needs done and that is no person's to do, on any machine that wants to: how
// people's decisions bear on one another, what is kept too long, what newer rules find in what nobody renews any more.
//
// The jobs are River's, in the team's database: one worker has a job at a time, and that of one who died is given to
// another. They name what to look at and nothing more, so that a job done twice, or put there by hand, does no harm;
// and each runs with the rights of its worker's member. Without any worker questions are answered all the same.
package work

import (
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

	"recall/redact"
	"recall/team"
)

// Options say how to work.
type Options struct {
	Once bool              // until nothing is due, not for good
	Did  func(what string) // is told of each job that did something; may be nil
	Fail func(err error)   // of each that couldn't; may be nil

	looks, polls time.Duration // how often is looked for what is due, and for jobs; 0 takes the usual
	begun        func()        // tests: a job is being done
}

const (
	usualLook = time.Minute
	usualPoll = 5 * time.Second
	longest   = 10 * time.Minute // that a job may take
	lost      = 15 * time.Minute // that long after it began a job is given to another worker
	ownersOwn = "owner"          // queue of what only an owner of the team may do
)

type relate struct {
	Project int `json:"project"`
}

type retain struct{}

type renew struct{}

func (relate) Kind() string { return "relate" }
func (retain) Kind() string { return "retain" }
func (renew) Kind() string  { return "renew" }

// queueOf is where a project's jobs wait for somebody who reads the project.
func queueOf(project int) string { return fmt.Sprintf("p%d", project) }

// A worker is one run.
type worker struct {
	t      *team.Team
	o      Options
	client *river.Client[pgx.Tx]
	rules  func() *redact.Rules

	mu     sync.Mutex
	queues map[string]bool
	failed error // the last
}

// Run works until the context ends, or with Options.Once until nothing is due; then the error is the last job's.
func Run(ctx context.Context, t *team.Team, o Options) error {
	w := &worker{t: t, o: o, rules: sync.OnceValue(redact.New), queues: map[string]bool{river.QueueDefault: true}}
	if t.Member.Owner {
		w.queues[ownersOwn] = true
	}
	if err := w.start(ctx); err != nil {
		return err
	}
	defer func() { // what isn't done by then is another's
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = w.client.StopAndCancel(end)
	}()
	for {
		idle, err := w.look(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && (o.Once || !errors.Is(err, team.ErrUnreachable)):
			return err
		case err != nil:
			w.fail(err)
		case idle && o.Once:
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.failed
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(w.pause()):
		}
	}
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

func (w *worker) start(ctx context.Context) (err error) {
	jobs := river.NewWorkers()
	river.AddWorker(jobs, does(w, w.relate))
	river.AddWorker(jobs, does(w, w.retain))
	river.AddWorker(jobs, does(w, w.renew))
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
	w.client, err = river.NewClient(riverpgxv5.New(w.t.Pool()), &river.Config{
		ID: "recall " + rand.Text(), Schema: "recall", Workers: jobs, Queues: queues, MaxAttempts: 5,
		JobTimeout: longest, RescueStuckJobsAfter: lost,
		FetchPollInterval: polls, FetchCooldown: min(polls, time.Second),
		PollOnly:            true,       // a pooler by transaction passes no notifications on
		ReindexerIndexNames: []string{}, // that is for whoever owns the tables
		Logger:              slog.New(slog.DiscardHandler),
	})
	if err == nil {
		err = w.client.Start(ctx)
	}
	return err
}

// does makes a job of a function. What went wrong is told here: the database shows it to everybody.
func does[T river.JobArgs](w *worker, do func(context.Context, T) (did string, err error)) river.Worker[T] {
	return river.WorkFunc(func(ctx context.Context, job *river.Job[T]) error {
		if w.o.begun != nil {
			w.o.begun()
		}
		did, err := do(ctx, job.Args)
		if err != nil {
			w.fail(fmt.Errorf("%s: %w", job.Kind, err))
			return errors.New("its worker's output tells more")
		}
		if did != "" && w.o.Did != nil {
			w.o.Did(did)
		}
		return nil
	})
}

func (w *worker) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failed = err
	if w.o.Fail != nil {
		w.o.Fail(err)
	}
}

// look puts what is due among the jobs, each once for all workers, and reports whether there was nothing to do.
func (w *worker) look(ctx context.Context) (idle bool, err error) {
	due, err := w.t.Due(ctx)
	if err != nil {
		return false, err
	}
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
	var waiting int
	err = w.t.Pool().QueryRow(ctx, `SELECT count(*) FROM recall.river_job WHERE state IN ('available', 'running')
		AND queue = ANY($1)`, queues).Scan(&waiting)
	return waiting == 0, err
}

// unfinished are the states in which a job keeps the same from being put again.
var unfinished = []rivertype.JobState{rivertype.JobStateAvailable, rivertype.JobStatePending,
	rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled}

func (w *worker) relate(ctx context.Context, job relate) (did string, err error) {
	due, err := w.t.Due(ctx)
	if err != nil {
		return "", err
	}
	for _, d := range due {
		if d.Project == job.Project {
			return fmt.Sprintf("project %d: how its items bear on one another", d.Project), w.t.Relate(ctx, d)
		}
	}
	return "", nil // somebody else did it
}

func (w *worker) retain(ctx context.Context, _ retain) (did string, err error) {
	gone, err := w.t.Retain(ctx)
	if gone > 0 {
		did = fmt.Sprintf("%d sessions were kept as long as their projects say, and are gone", gone)
	}
	return did, err
}

func (w *worker) renew(ctx context.Context, _ renew) (did string, err error) {
	n, err := w.t.Renew(ctx, w.rules())
	if n > 0 {
		did = fmt.Sprintf("%d sessions of who left were redacted by newer rules", n)
	}
	return did, err
}
