package eval

import (
	"fmt"
	"sync"

	"recall/answer"
	"recall/llm"
)

// Purse pays for a measurement: out of the library's purse if there is one,
// else as much as a night may cost. It knows what each session cost. The library's
// ledger isn't told which, as that would count against the session's own cap.
type Purse struct {
	Below  llm.Purse
	Cost   float64 // USD at most, where there is nothing below; 0: no cap
	Tokens int     // the same

	mu       sync.Mutex
	spent    map[string]float64 // USD, by session
	total    float64
	reserved float64
	usage    llm.Usage
	calls    int
	unpriced bool
}

// Reserve implements llm.Purse.
func (p *Purse) Reserve(c llm.Call) error {
	if p.Below != nil {
		c.Account = llm.Account{}
		return p.Below.Reserve(c)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Cost > 0 && p.total+p.reserved+c.Cost > p.Cost {
		return &llm.Capped{Cap: "night", Limit: fmt.Sprintf("$%.2f", p.Cost)}
	}
	if most := p.Tokens; most > 0 && p.usage.In+p.usage.Out+c.Usage.In+c.Usage.Out > most {
		return &llm.Capped{Cap: "night", Limit: fmt.Sprintf("%d tokens", most)}
	}
	p.reserved += c.Cost
	return nil
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
	if p.Below == nil {
		p.reserved -= reserved.Cost
	}
	p.mu.Unlock()
	if p.Below == nil {
		return nil
	}
	reserved.Account, took.Account = llm.Account{}, llm.Account{}
	return p.Below.Settle(reserved, took)
}

// Of is what a session cost so far.
func (p *Purse) Of(session string) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.spent[session]
}

// Took is what was asked of a model of that name, in one line; "" if nothing.
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
