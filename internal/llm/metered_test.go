package llm

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fixed answers what it is told to.
type fixed struct {
	usage Usage
	err   error
	sent  bool // before it fails
}

func (fixed) Name() string { return "openai/gpt-5-mini" }
func (fixed) Window() int  { return 0 }
func (f fixed) Complete(ctx context.Context, _ Request) (Response, error) {
	if f.sent {
		Sent(ctx)
	}
	if f.err != nil {
		return Response{}, f.err
	}
	return Response{Text: "x", Usage: f.usage}, nil
}

// noted is a purse that grants all but what is over its cap.
type noted struct {
	mu       sync.Mutex
	cap      int
	reserved int
	took     []Call
}

func (p *noted) Reserve(c Call) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cap > 0 && p.reserved+c.Usage.In > p.cap {
		return &Capped{Cap: "night", Limit: "10 tokens"}
	}
	p.reserved += c.Usage.In
	return nil
}

func (p *noted) Settle(reserved, took Call) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reserved -= reserved.Usage.In
	p.took = append(p.took, took)
	return nil
}

// What a call took is settled with the service's figures, also where it failed
// and was paid for; a cap keeps it from being made.
func TestMetered(t *testing.T) {
	ctx := WithAccount(context.Background(), Account{"s", "p"})
	guess := func(f Fault) Call {
		return Call{Usage: Usage{In: 25, Out: usualOut}, Cost: (25*0.25 + usualOut*2) / 1e6, Priced: true, Fault: f,
			Guessed: true}
	}
	for _, c := range []struct {
		name string
		m    fixed
		cap  int
		want []Call
		err  error
	}{
		{"answered", fixed{usage: Usage{In: 1e6, Out: 1e6}}, 0, []Call{{Usage: Usage{In: 1e6, Out: 1e6}, Cost: 2.25,
			Priced: true}}, nil},
		{"answered by one who doesn't count", fixed{}, 0, []Call{guess("")}, nil},
		{"answered for less than nothing", fixed{usage: Usage{In: -5, CacheRead: 9, Out: 1e6}}, 0,
			[]Call{{Usage: Usage{Out: 1e6}, Cost: 2, Priced: true}}, nil},
		{"answered for too much", fixed{usage: Usage{In: 1 << 62, CacheRead: 1 << 62, Out: -1}}, 0,
			[]Call{{Usage: Usage{In: 1 << 30, CacheRead: 1 << 30}, Cost: 26.843545600000002, Priced: true}}, nil},
		{"refused", fixed{err: &Error{Fault: Refused, Usage: Usage{In: 4e6}}}, 0,
			[]Call{{Usage: Usage{In: 4e6}, Cost: 1, Priced: true, Fault: Refused}}, &Error{}},
		{"given up before it was sent", fixed{err: context.Canceled}, 0, []Call{{Priced: true, Fault: Stopped}},
			context.Canceled},
		{"given up", fixed{err: context.Canceled, sent: true}, 0, []Call{guess(Stopped)}, context.Canceled},
		{"nobody there", fixed{err: &Error{Fault: Unreachable}}, 0, []Call{{Priced: true, Fault: Unreachable}}, &Error{}},
		{"broken off", fixed{err: &Error{Fault: Unreachable}, sent: true}, 0, []Call{guess(Unreachable)}, &Error{}},
		{"too slow", fixed{err: &Error{Fault: TimedOut, Status: 504}, sent: true}, 0, []Call{guess(TimedOut)}, &Error{}},
		{"not taken", fixed{err: &Error{Fault: RateLimited, Status: 429}, sent: true}, 0,
			[]Call{{Priced: true, Fault: RateLimited}}, &Error{}},
		{"of no use, by one who doesn't count", fixed{err: &Error{Fault: Nonsense, Status: 200}, sent: true}, 0,
			[]Call{guess(Nonsense)}, &Error{}},
		{"over the cap", fixed{}, 10, nil, &Capped{}},
	} {
		purse := &noted{cap: c.cap}
		_, err := Metered(c.m, purse, nil).Complete(ctx, Request{Task: "extract", Prompt: "what was decided?"})
		if (err == nil) != (c.err == nil) || c.cap > 0 && !errors.As(err, new(*Capped)) {
			t.Errorf("%s: got error %v, want %T", c.name, err, c.err)
		}
		for i := range purse.took {
			purse.took[i].At, purse.took[i].Lasted = c.want[i].At, 0
		}
		for i := range c.want {
			c.want[i].Account, c.want[i].Task, c.want[i].Model = Account{"s", "p"}, "extract", "openai/gpt-5-mini"
		}
		if diff := cmp.Diff(c.want, purse.took); diff != "" || purse.reserved != 0 {
			t.Errorf("%s: %d still reserved, settled (-want +got):\n%s", c.name, purse.reserved, diff)
		}
	}
}
