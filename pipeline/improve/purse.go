package improve

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"recall/internal/llm"
	"recall/library"
	"recall/library/calls"
)

// Cap limits spending; 0 means no limit.
type Cap struct {
	Tokens int     // in and out
	Cost   float64 // USD
}

// Caps limit what asking models may cost. A session's counts everything ever asked about it, a night runs from noon
// to noon, a month is the calendar's, both in local time.
type Caps struct{ Session, Night, Month Cap }

// A Purse pays for requests to models and records them in a library's ledger: it knows what was spent and enforces
// caps. It implements llm.Purse.
type Purse struct {
	l    *library.Library
	caps Caps
	now  func() time.Time

	mu      sync.Mutex
	day     time.Time // noon at which the current night began; zero: nothing is summed yet
	month   sum
	night   sum
	session map[string]sum
	broken  error                      // set if the ledger can't be written
	lasted  map[string][]time.Duration // durations of the latest calls that a person waited for, by model
}

var _ llm.Purse = (*Purse)(nil)

// NewPurse returns a purse for a library; if that is nil, it counts only what this process spends. now may be nil
// for time.Now.
func NewPurse(l *library.Library, caps Caps, now func() time.Time) *Purse {
	if now == nil {
		now = time.Now
	}
	return &Purse{l: l, caps: caps, now: now}
}

// sum is the total cost of calls.
type sum struct {
	tokens int
	cost   float64
}

func (s sum) add(tokens int, cost float64) sum { return sum{s.tokens + tokens, s.cost + cost} }

// past says which limit s exceeds, "" if none.
func (c Cap) past(s sum) string {
	switch {
	case c.Cost > 0 && s.cost > c.Cost:
		return fmt.Sprintf("$%.2f", c.Cost)
	case c.Tokens > 0 && s.tokens > c.Tokens:
		return fmt.Sprintf("%d tokens", c.Tokens)
	}
	return ""
}

// Reserve implements llm.Purse. Calls in progress count with their estimates.
func (p *Purse) Reserve(c llm.Call) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.ready(); err != nil {
		return err
	}
	for _, of := range []struct {
		name string
		cap  Cap
		sum  sum
	}{{"session", p.caps.Session, p.session[c.Account.Session]}, {"night", p.caps.Night, p.night},
		{"month", p.caps.Month, p.month}} {
		if of.name == "session" && c.Account.Session == "" {
			continue
		}
		if limit := of.cap.past(of.sum.add(tokens(c), c.Cost)); limit != "" {
			return &llm.Capped{Cap: of.name, Limit: limit}
		}
	}
	p.count(c.Account.Session, tokens(c), c.Cost)
	return nil
}

// Settle implements llm.Purse.
func (p *Purse) Settle(reserved, took llm.Call) error {
	p.mu.Lock()
	p.count(reserved.Account.Session, tokens(took)-tokens(reserved), took.Cost-reserved.Cost)
	p.mu.Unlock()
	if took.Model == "" || p.l == nil {
		return nil // it wasn't made, or there is no ledger
	}
	err := calls.Spend(p.l, calls.Usage{At: p.now(), Task: took.Task, Session: took.Account.Session,
		Project: took.Account.Project, Model: took.Model,
		In: took.Usage.In, CacheRead: took.Usage.CacheRead, CacheWrite: took.Usage.CacheWrite, Out: took.Usage.Out,
		Cost: took.Cost, Unpriced: !took.Priced, Fault: string(took.Fault), Estimated: took.Guessed,
		Millis: took.Lasted.Milliseconds()})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waited(took.Task, took.Model, took.Lasted)
	if err != nil {
		p.broken = cmp.Or(p.broken, fmt.Errorf("nothing more is spent: %w", err))
	}
	return err
}

func tokens(c llm.Call) int { return c.Usage.In + c.Usage.Out }

// count adds a call to all sums that it counts for. The caller holds mu.
func (p *Purse) count(session string, tokens int, cost float64) {
	p.night, p.month = p.night.add(tokens, cost), p.month.add(tokens, cost)
	if session != "" {
		p.session[session] = p.session[session].add(tokens, cost)
	}
}

// ready sums up the ledger, initially and when a new night begins. What other processes spend meanwhile only counts
// from the next night on. The caller holds mu.
func (p *Purse) ready() error {
	if p.broken != nil {
		return p.broken
	}
	now := p.now()
	if !p.day.IsZero() && p.day.Equal(noonBefore(now)) {
		return nil
	}
	p.day, p.night, p.month, p.session = noonBefore(now), sum{}, sum{}, map[string]sum{}
	p.lasted = map[string][]time.Duration{}
	if p.l == nil {
		return nil
	}
	first := MonthOf(now)
	spent, _ := calls.Spending(p.l) // recall status usage and recall check report what can't be read
	for _, s := range spent {
		p.waited(s.Task, s.Model, time.Duration(s.Millis)*time.Millisecond)
		n := s.In + s.Out
		if s.Session != "" {
			p.session[s.Session] = p.session[s.Session].add(n, s.Cost)
		}
		if !s.At.Before(first) {
			p.month = p.month.add(n, s.Cost)
		}
		if !s.At.Before(p.day) {
			p.night = p.night.add(n, s.Cost)
		}
	}
	return nil
}

// waited records how long a person waited for a model: for a rerank, or the one-word test. The caller holds mu.
func (p *Purse) waited(task, model string, d time.Duration) {
	if d > 0 && (task == "rerank" || task == "test") {
		last := append(p.lasted[model], d)
		p.lasted[model] = last[max(0, len(last)-3):]
	}
}

// Quick reports whether a model answered in time whenever somebody waited for it recently; false if nobody has.
func (p *Purse) Quick(model string, within time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ready() == nil && len(p.lasted[model]) > 0 && slices.Max(p.lasted[model]) <= within
}

// Took is the total of calls in the ledger.
type Took struct {
	Calls    int     `json:"calls"`
	Tokens   int     `json:"tokens"` // in and out
	Cost     float64 `json:"cost"`   // US dollars
	Unpriced bool    `json:"-"`      // the price of some is unknown
}

// TookSince adds up a library's ledger since a time; recall check reports damage.
func TookSince(l *library.Library, from time.Time) (all Took) {
	spent, _ := calls.Spending(l)
	for _, s := range spent {
		if !s.At.Before(from) {
			all.Calls++
			all.Tokens += s.In + s.Out
			all.Cost += s.Cost
			all.Unpriced = all.Unpriced || s.Unpriced
		}
	}
	return all
}

// noonBefore returns the last noon at or before t, when t's night began.
func noonBefore(t time.Time) time.Time {
	y, m, d := t.Date()
	noon := time.Date(y, m, d, 12, 0, 0, 0, t.Location())
	if noon.After(t) {
		noon = time.Date(y, m, d-1, 12, 0, 0, 0, t.Location())
	}
	return noon
}

// MonthOf returns the start of t's month.
func MonthOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, t.Location())
}
