package library

import (
	"errors"
	"slices"
	"time"

	"recall/library/disk"
	"recall/library/ledger"
)

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

// Sessions are those that a request is about.
func (b BatchLine) Sessions() []string {
	if len(b.Of) == 0 && b.Session != "" { // as an earlier recall wrote it
		return []string{b.Session}
	}
	return b.Of
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
