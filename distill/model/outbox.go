package model

import (
	"sync"

	"recall/internal/llm"
)

// An Outbox holds the requests to send with a batch, by the keys of their answers. Safe for
// concurrent use.
type Outbox struct {
	mu      sync.Mutex
	waiting map[string]llm.Request
	of      map[string][]string
}

func newOutbox() *Outbox {
	return &Outbox{waiting: map[string]llm.Request{}, of: map[string][]string{}}
}

// Of returns the sessions that a request is about, for Answered. It works after Take, too.
func (o *Outbox) Of(key string) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.of[key]
}

// Take empties the outbox and returns its contents. A request may appear again if Improve
// is called before its answer was delivered; the sender can tell by its key.
func (o *Outbox) Take() map[string]llm.Request {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := o.waiting
	o.waiting = map[string]llm.Request{}
	return all
}

func (o *Outbox) put(q question) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting[q.key], o.of[q.key] = q.request, q.of
}
