package improve

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"recall/library"
	"recall/llm"
	"recall/text"
)

// Cap is how much may be spent; 0 of either is no limit.
type Cap struct {
	Tokens int     // in and out
	Cost   float64 // USD
}

// Caps are what asking models may take. A session's counts what was ever asked
// about it, a night is from noon to noon, a month the calendar's, both where
// this machine is.
type Caps struct{ Session, Night, Month Cap }

// Passed names the caps of a night and a month, by their keys in the configuration, that so many dollars and tokens
// would pass, whatever is spent already.
func (c Caps) Passed(usd float64, tokens int) (names []string) {
	for _, of := range []struct {
		name string
		Cap
	}{{"night", c.Night}, {"month", c.Month}} {
		switch {
		case of.Cost > 0 && usd > of.Cost:
			names = append(names, fmt.Sprintf("distill.budget.%s_cost: %s", of.name, text.Dollars(of.Cost)))
		case of.Tokens > 0 && tokens > of.Tokens:
			names = append(names, fmt.Sprintf("distill.budget.%s_tokens: %s", of.name, text.Thousands(of.Tokens)))
		}
	}
	return names
}

// A Purse pays for requests to models out of a library's ledger: it knows what
// was spent, keeps to caps, and writes down each call. It implements llm.Purse.
type Purse struct {
	l    *library.Library
	caps Caps
	now  func() time.Time

	mu      sync.Mutex
	day     time.Time // the noon since which night counts; zero: nothing is summed yet
	month   sum
	night   sum
	session map[string]sum
	broken  error                      // the ledger can't be written
	lasted  map[string][]time.Duration // how long the latest that somebody waited for took, by model
}

var _ llm.Purse = (*Purse)(nil)

// NewPurse returns a purse for a library; if that is nil, of what this process spends alone.
// now is nil for time.Now.
func NewPurse(l *library.Library, caps Caps, now func() time.Time) *Purse {
	if now == nil {
		now = time.Now
	}
	return &Purse{l: l, caps: caps, now: now}
}

// sum is what calls took together.
type sum struct {
	tokens int
	cost   float64
}

func (s sum) add(tokens int, cost float64) sum { return sum{s.tokens + tokens, s.cost + cost} }

// past says which limit would be passed by so much more, "" if none.
func (c Cap) past(s sum) string {
	switch {
	case c.Cost > 0 && s.cost > c.Cost:
		return fmt.Sprintf("$%.2f", c.Cost)
	case c.Tokens > 0 && s.tokens > c.Tokens:
		return fmt.Sprintf("%d tokens", c.Tokens)
	}
	return ""
}

// Reserve implements llm.Purse. Calls on their way count as what they were
// estimated to take.
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

// hold counts a call that another process reserved.
func (p *Purse) hold(c llm.Call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ready() == nil {
		p.count(c.Account.Session, tokens(c), c.Cost)
	}
}

// Settle implements llm.Purse.
func (p *Purse) Settle(reserved, took llm.Call) error {
	p.mu.Lock()
	p.count(reserved.Account.Session, tokens(took)-tokens(reserved), took.Cost-reserved.Cost)
	p.mu.Unlock()
	if took.Model == "" || p.l == nil {
		return nil // it wasn't made, or is written down nowhere
	}
	err := p.l.Spend(library.Spent{At: p.now(), Task: took.Task, Session: took.Account.Session,
		Project: took.Account.Project, Model: took.Model,
		In: took.Usage.In, CacheRead: took.Usage.CacheRead, CacheWrite: took.Usage.CacheWrite, Out: took.Usage.Out,
		Cost: took.Cost, Unpriced: !took.Priced, Batch: took.Batch, Fault: string(took.Fault), Estimated: took.Guessed,
		Millis: took.Lasted.Milliseconds()})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waited(took.Task, took.Model, took.Lasted)
	if err != nil {
		p.broken = cmp.Or(p.broken, fmt.Errorf("no more is spent: %w", err))
	}
	return err
}

func tokens(c llm.Call) int { return c.Usage.In + c.Usage.Out }

// count adds to all that a call counts for. The caller holds mu.
func (p *Purse) count(session string, tokens int, cost float64) {
	p.night, p.month = p.night.add(tokens, cost), p.month.add(tokens, cost)
	if session != "" {
		p.session[session] = p.session[session].add(tokens, cost)
	}
}

// ready sums up the ledger, at first and when a new night begins. What other
// processes spend meanwhile counts from the next night on. The caller holds mu.
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
	for s, err := range p.l.Spending() {
		if err != nil {
			continue // recall status usage and verify tell of it
		}
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

// waited notes how long somebody waited for a model: looking at what was found, or
// the one word that it was tried with. The caller holds mu.
func (p *Purse) waited(task, model string, d time.Duration) {
	if d > 0 && (task == "rerank" || task == "test") {
		last := append(p.lasted[model], d)
		p.lasted[model] = last[max(0, len(last)-3):]
	}
}

// Quick reports whether a model answered within a time whenever somebody waited for it
// lately; false of one that nobody has waited for.
func (p *Purse) Quick(model string, within time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ready() == nil && len(p.lasted[model]) > 0 && slices.Max(p.lasted[model]) <= within
}

// Took is what calls took together.
type Took struct {
	Calls    int     `json:"calls"`
	Tokens   int     `json:"tokens"` // in and out
	Cost     float64 `json:"cost"`   // US dollars
	Unpriced bool    `json:"-"`      // some have no price that is known
}

// TookSince adds up a library's ledger from a time on; recall check tells of damage.
func TookSince(l *library.Library, from time.Time) (all Took) {
	for s, err := range l.Spending() {
		if err == nil && !s.At.Before(from) {
			all.Calls++
			all.Tokens += s.In + s.Out
			all.Cost += s.Cost
			all.Unpriced = all.Unpriced || s.Unpriced
		}
	}
	return all
}

// noonBefore is the last noon at or before t: a night belongs to one day.
func noonBefore(t time.Time) time.Time {
	y, m, d := t.Date()
	noon := time.Date(y, m, d, 12, 0, 0, 0, t.Location())
	if noon.After(t) {
		noon = time.Date(y, m, d-1, 12, 0, 0, 0, t.Location())
	}
	return noon
}

// MonthOf is when t's month began.
func MonthOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, t.Location())
}
