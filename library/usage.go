package library

import (
	"cmp"
	"iter"
	"time"

	"recall/library/ledger"
)

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
