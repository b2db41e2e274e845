package library

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/ledger"
)

// triesName says what came of asking a model about sessions without its payload: else one that it always fails at would
// be paid for every night. It is no cache: losing it costs money.
const triesName = "tries.jsonl"

// Try is a line of tries.jsonl: how a session stands with the model. The line with the latest time counts.
type Try struct {
	Session ingest.SessionID `json:"session"`
	Input   string           `json:"input"` // Entry.Input that it was about
	At      time.Time        `json:"at"`
	Failed  int              `json:"failed,omitempty"` // times in a row
	Slow    int              `json:"slow,omitempty"`   // times that may have been the service's fault
	Fault   string           `json:"fault,omitempty"`  // the last one, in a few words that say nothing of the session
	Unripe  bool             `json:"unripe,omitempty"` // it says too little to ask about

	Unlinked bool `json:"unlinked,omitempty"` // it has the model's payload, whose items aren't compared with others' yet
}

func (l *Library) tries() ledger.Log[Try] {
	return logOf(l, triesName, func(t Try) bool { return t.Session != "" })
}

// Tries reads tries.jsonl. Lines that can't be read are an error beside the others.
func (l *Library) Tries() (map[ingest.SessionID]Try, error) {
	all, err := l.tries().All()
	return lastTries(all), err
}

func lastTries(all []Try) map[ingest.SessionID]Try {
	last := map[ingest.SessionID]Try{}
	now := time.Now()
	for _, t := range all {
		// What was written by a clock that was ahead counts for no longer than until
		// the next line.
		if old, ok := last[t.Session]; !ok || !t.At.Before(old.At) || old.At.After(now) {
			last[t.Session] = t
		}
	}
	return last
}

// NoteTry adds a line. The caller holds what AskAlone gives.
func (l *Library) NoteTry(t Try) error {
	t.At = t.At.UTC()
	return share(l, l.tries(), t)
}

// AskAlone lets no other process ask a model about sessions of this library until done: both might pay for the same
// answer. The error is ErrBusy, hardly waited for. It is the one lock that is held for long; nothing else waits for it.
func (l *Library) AskAlone() (done func(), err error) {
	if err := l.upgrade(); err != nil {
		return nil, err
	}
	if done, err = l.acquire("ask", 10*time.Millisecond); err != nil {
		return nil, fmt.Errorf("ask a model: %w", err)
	}
	return done, nil
}

// UsageName is the ledger: a line for each call of a model that may have taken something. Of a session it has the id:
// forgetting one takes nothing out of the sums.
const UsageName = "usage.jsonl"

// Spent is a line of usage.jsonl.
type Spent struct {
	At      time.Time `json:"at"`                // the wall clock's
	Task    string    `json:"task"`              // llm.Request.Task
	Session string    `json:"session,omitempty"` // that it was for, "" for none in particular
	Project string    `json:"project,omitempty"` // its id
	Model   string    `json:"model"`             // provider and model

	In         int     `json:"in"`                    // tokens of the request, all of it
	CacheRead  int     `json:"cache_read,omitempty"`  // of In, from the service's cache
	CacheWrite int     `json:"cache_write,omitempty"` // of In, put there
	Out        int     `json:"out"`                   // tokens of the answer
	Cost       float64 `json:"cost,omitempty"`        // dollars
	Unpriced   bool    `json:"unpriced,omitempty"`    // nobody knows the model's price: Cost says nothing
	Batch      bool    `json:"batch,omitempty"`       // answered with a batch
	Fault      string  `json:"fault,omitempty"`       // why there was no answer; such a call may be paid for all the same
	Estimated  bool    `json:"estimated,omitempty"`   // nobody said what it took: the figures are those reserved
	Millis     int64   `json:"ms,omitempty"`          // until it was answered, or failed; 0 in a batch
}

func (l *Library) usage() ledger.Log[Spent] {
	return logOf[Spent](l, UsageName, nil)
}

// Spend adds a line, durably, in one O_APPEND write without a lock: several processes may spend at once.
func (l *Library) Spend(s Spent) error {
	s.At = s.At.UTC()
	return cmp.Or(share(l, l.usage(), s), l.usage().Sync())
}

// Spending reads the ledger as written, after a merge not in the order of times. A line that can't be read is an error
// that names it, and the next follows.
func (l *Library) Spending() iter.Seq2[Spent, error] { return l.usage().Each() }

// batchesName holds what was handed in to be answered with a batch: a line for each request before it is sent, one when
// the service has taken the batch, one for each answer taken in, one at the end: a process killed on the way knows what
// may be paid for.
const batchesName = "batches.jsonl"

// What a line of batches.jsonl says.
const (
	BatchAsk  = "ask"  // this request is about to be sent
	BatchSent = "sent" // the service has the batch, by its ID
	BatchGot  = "got"  // this request's answer was taken in, and charged
	BatchDone = "done" // nothing more is expected of it
)

// BatchLine is a line of batches.jsonl.
type BatchLine struct {
	Op    string    `json:"op"`
	Batch string    `json:"batch"` // our name for it
	At    time.Time `json:"at"`
	Model string    `json:"model,omitempty"` // of ask: provider and model
	ID    string    `json:"id,omitempty"`    // of sent: the service's name for it
	Found bool      `json:"found,omitempty"` // of sent: its ID was lost, and looked for at the service

	Key     string   `json:"key,omitempty"`     // of ask and got: the answer's
	Task    string   `json:"task,omitempty"`    // of ask, as all that follows
	Session string   `json:"session,omitempty"` // "" for none in particular
	Of      []string `json:"of,omitempty"`      // the sessions that are asked about
	Project string   `json:"project,omitempty"`
	In      int      `json:"in,omitempty"` // tokens as estimated
	Out     int      `json:"out,omitempty"`
	Cost    float64  `json:"cost,omitempty"`
}

func (l *Library) batches() ledger.Log[BatchLine] {
	return logOf(l, batchesName, func(b BatchLine) bool { return b.Batch != "" })
}

// BatchLines reads batches.jsonl. Lines that can't be read are an error beside the others.
func (l *Library) BatchLines() ([]BatchLine, error) { return l.batches().All() }

// NoteBatch adds lines, durably. The caller holds what AskAlone gives.
func (l *Library) NoteBatch(lines ...BatchLine) error {
	if len(lines) == 0 {
		return nil
	}
	lines = slices.Clone(lines)
	for i := range lines {
		lines[i].At = lines[i].At.UTC()
	}
	if err := share(l, l.batches(), lines...); err != nil {
		return err
	}
	return errors.Join(l.batches().Sync(), disk.SyncDir(l.dir))
}

// TidyBatches removes batches.jsonl where it is long and says nothing any more. The caller holds what AskAlone gives.
func (l *Library) TidyBatches() error {
	lines, err := l.BatchLines()
	if err != nil || len(lines) < 5000 {
		return err
	}
	return l.underLock("folders", func() error { // forgetting rewrites it too
		return errors.Join(disk.RemoveIfThere(l.batches().Path), disk.SyncDir(l.dir))
	})
}
