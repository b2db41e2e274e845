package model

import (
	"sync"

	"recall/llm"
)

// An Outbox holds the requests that wait to be sent with a batch, by the keys
// under which their answers are kept. Safe for concurrent use.
type Outbox struct {
	mu      sync.Mutex
	waiting map[string]llm.Request
	of      map[string][]string
}

func newOutbox() *Outbox {
	return &Outbox{waiting: map[string]llm.Request{}, of: map[string][]string{}}
}

// Of names the sessions that a request is about, also after Take: Answered wants
// to know.
func (o *Outbox) Of(key string) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.of[key]
}

// Take empties the outbox and returns what was in it. The same request may come
// again if Improve is called before its answer was handed in: who sends knows by
// the key what is on its way.
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
