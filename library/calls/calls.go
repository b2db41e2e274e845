// Package calls records what was asked of models: which sessions gave no payload, and what every call used.
package calls

import (
	"cmp"
	"fmt"
	"time"

	"recall/ingest"
	"recall/library"
	"recall/library/ledger"
)

// Try is a line of tries.jsonl: the state of a session with the model. The line with the latest time counts.
type Try struct {
	Session ingest.SessionID `json:"session"`
	Input   string           `json:"input"` // the Entry.Input it was about
	At      time.Time        `json:"at"`
	Failed  int              `json:"failed,omitempty"` // times in a row
	Fault   string           `json:"fault,omitempty"`  // the last one, in a few words that reveal nothing of the session
	Unripe  bool             `json:"unripe,omitempty"` // it says too little to ask about

	Unlinked bool `json:"unlinked,omitempty"` // it has the model's payload, whose items haven't been compared with others'
}

func tries(l *library.Library) ledger.Log[Try] {
	return library.LogOf(l, library.TriesName, func(t Try) bool { return t.Session != "" })
}

// Tries reads tries.jsonl. If lines can't be read, it returns an error with the others.
func Tries(l *library.Library) (map[ingest.SessionID]Try, error) {
	all, err := tries(l).All()
	return lastTries(all), err
}

func lastTries(all []Try) map[ingest.SessionID]Try {
	last := map[ingest.SessionID]Try{}
	now := time.Now()
	for _, t := range all {
		// A line dated in the future, by a clock that was ahead, counts only until the next line.
		if old, ok := last[t.Session]; !ok || !t.At.Before(old.At) || old.At.After(now) {
			last[t.Session] = t
		}
	}
	return last
}

// NoteTry adds a line. The caller holds Alone.
func NoteTry(l *library.Library, t Try) error {
	t.At = t.At.UTC()
	return library.Share(l, tries(l), t)
}

// Alone keeps other processes from asking a model about sessions of this library until done is called, as both
// might pay for the same answer. It waits only briefly before ErrBusy. It is the one lock that is held for long;
// nothing else waits for it.
func Alone(l *library.Library) (done func(), err error) {
	if err := l.ReadOnly(); err != nil {
		return nil, err
	}
	if done, err = l.Acquire("ask", 10*time.Millisecond); err != nil {
		return nil, fmt.Errorf("ask a model: %w", err)
	}
	return done, nil
}

// Usage is a line of usage.jsonl.
type Usage struct {
	At      time.Time `json:"at"`                // wall clock
	Task    string    `json:"task"`              // llm.Request.Task
	Session string    `json:"session,omitempty"` // "" for none in particular
	Project string    `json:"project,omitempty"` // its id
	Model   string    `json:"model"`             // provider and model

	In         int     `json:"in"`                    // tokens of the whole request
	CacheRead  int     `json:"cache_read,omitempty"`  // of In, from the service's cache
	CacheWrite int     `json:"cache_write,omitempty"` // of In, put there
	Out        int     `json:"out"`                   // tokens of the answer
	Cost       float64 `json:"cost,omitempty"`        // dollars
	Unpriced   bool    `json:"unpriced,omitempty"`    // the model's price isn't known: Cost means nothing
	Fault      string  `json:"fault,omitempty"`       // why there was no answer; the call may cost money anyway
	Estimated  bool    `json:"estimated,omitempty"`   // usage wasn't reported: the figures are those reserved
	Millis     int64   `json:"ms,omitempty"`          // until it was answered or failed
}

func usage(l *library.Library) ledger.Log[Usage] {
	return library.LogOf[Usage](l, library.UsageName, nil)
}

// Spend durably appends a line; several processes may spend at once.
func Spend(l *library.Library, s Usage) error {
	s.At = s.At.UTC()
	return cmp.Or(library.Share(l, usage(l), s), usage(l).Sync())
}

// Spending reads the ledger as written, which after a merge is not in order of time. If lines can't be read, it returns
// an error that names them with the others.
func Spending(l *library.Library) ([]Usage, error) { return usage(l).All() }
