package library

import (
	"fmt"
	"time"

	"recall/ingest"
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
