package library

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"recall/library/disk"
	"time"
)

// batchesName holds what was handed in to be answered with a batch: a line for
// each request before it is sent, one when the service has taken the batch, one
// for each answer that was taken in, one at the end. So a process that was killed
// on the way knows what may be paid for.
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

// BatchLines reads batches.jsonl. Lines that can't be read are an error beside
// the others.
func (l *Library) BatchLines() ([]BatchLine, error) {
	path := filepath.Join(l.dir, batchesName)
	lines, err := disk.WholeLines(path)
	if err != nil {
		return nil, err
	}
	var all []BatchLine
	var bad []error
	for i, line := range lines {
		var b BatchLine
		if json.Unmarshal(line, &b) != nil || b.Batch == "" {
			bad = append(bad, fmt.Errorf("%s:%d: %w", path, i+1, ErrDamaged))
			continue
		}
		all = append(all, b)
	}
	return all, errors.Join(bad...)
}

// NoteBatch adds lines; when it returns they are durable. The caller holds what
// AskAlone gives.
func (l *Library) NoteBatch(lines ...BatchLine) error {
	if len(lines) == 0 {
		return nil
	}
	if err := l.ReadOnly(); err != nil {
		return err
	}
	var text []byte
	for _, b := range lines {
		b.At = b.At.UTC()
		line, err := json.Marshal(b)
		if err != nil {
			return err
		}
		text = append(append(text, line...), '\n')
	}
	path := filepath.Join(l.dir, batchesName)
	if err := disk.AppendShared(path, text); err != nil {
		return fmt.Errorf("%s: %w", batchesName, err)
	}
	return errors.Join(disk.SyncFiles([]string{path}), disk.SyncDir(l.dir))
}

// TidyBatches empties batches.jsonl where it has grown long and says nothing any
// more. The caller holds what AskAlone gives.
func (l *Library) TidyBatches() error {
	lines, err := l.BatchLines()
	if err != nil || len(lines) < 5000 {
		return err
	}
	unlock, err := l.lock("folders") // forgetting rewrites it too
	if err != nil {
		return err
	}
	defer unlock()
	return errors.Join(l.put(filepath.Join(l.dir, batchesName), nil), disk.SyncDir(l.dir))
}
