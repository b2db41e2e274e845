package eval

import (
	"fmt"
	"sync"

	"recall/answer"
	"recall/internal/llm"
)

// Purse pays for a measurement from Below and tracks what each session cost. The library's ledger isn't told
// the session, since that would count against the session's own cap.
type Purse struct {
	Below llm.Purse

	mu       sync.Mutex
	spent    map[string]float64 // USD, by session
	total    float64
	usage    llm.Usage
	calls    int
	unpriced bool
}

// Reserve implements llm.Purse.
func (p *Purse) Reserve(c llm.Call) error {
	c.Account = llm.Account{}
	return p.Below.Reserve(c)
}

// Settle implements llm.Purse.
func (p *Purse) Settle(reserved, took llm.Call) error {
	p.mu.Lock()
	if p.spent == nil {
		p.spent = map[string]float64{}
	}
	p.spent[took.Account.Session] += took.Cost
	p.total += took.Cost
	p.usage = p.usage.Add(took.Usage)
	if took.Model != "" {
		p.calls++
		p.unpriced = p.unpriced || !took.Priced
	}
	p.mu.Unlock()
	reserved.Account, took.Account = llm.Account{}, llm.Account{}
	return p.Below.Settle(reserved, took)
}

// Of returns what a session has cost so far.
func (p *Purse) Of(session string) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.spent[session]
}

// Took summarizes in one line what was asked of the model of that name; "" if nothing.
func (p *Purse) Took(name string) string {
	if p.calls == 0 {
		return ""
	}
	cost := fmt.Sprintf("$%.4f", p.total)
	if p.unpriced {
		cost = "price unknown"
	}
	return fmt.Sprintf("asked %s %s: %d tokens in, %d out, %s", name, answer.Count(p.calls, "time"),
		p.usage.In, p.usage.Out, cost)
}
