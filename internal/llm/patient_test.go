package llm

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// script is a model that fails as it is told, request by request, and then
// answers.
type script struct {
	faults []*Error // nil: it answers
	takes  time.Duration

	mu       sync.Mutex
	when     []time.Time
	n        int // asked
	on, most int // on their way, at once
}

func (s *script) Name() string { return "script/1" }
func (s *script) Window() int  { return 8000 }
func (s *script) Complete(ctx context.Context, _ Request) (Response, error) {
	i := s.ask(1)
	defer s.ask(-1)
	select {
	case <-time.After(s.takes):
	case <-ctx.Done():
		return Response{}, ctx.Err()
	}
	if i < len(s.faults) && s.faults[i] != nil {
		return Response{}, s.faults[i]
	}
	return Response{Text: "yes"}, nil
}

// ask counts a request that comes or goes; i is which it is.
func (s *script) ask(d int) (i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on += d
	s.most = max(s.most, s.on)
	if d > 0 {
		s.when = append(s.when, time.Now())
		s.n++
	}
	return s.n - 1
}

func fault(f Fault) *Error { return &Error{Fault: f, Model: "script/1"} }

func after(f Fault, d time.Duration) *Error { return &Error{Fault: f, Model: "script/1", After: d} }

func times(n int, e *Error) []*Error { return slices.Repeat([]*Error{e}, n) }

func TestPatient(t *testing.T) {
	for _, c := range []struct {
		name     string
		s        *script
		p        Patience
		asked    int
		want     Fault // "": answered
		min, max time.Duration
	}{
		{name: "answers at once", s: &script{}, asked: 1},
		{name: "busy, then answers", s: &script{faults: times(3, fault(Overloaded))}, asked: 4, max: 7 * time.Second},
		{name: "as long as it asks for", s: &script{faults: []*Error{after(RateLimited, 20*time.Second)}}, asked: 2,
			min: 20 * time.Second, max: 20 * time.Second},
		{name: "five tries", s: &script{faults: times(9, fault(Unreachable))}, asked: 5, want: Unreachable,
			max: 15 * time.Second},
		{name: "twice too slow", s: &script{takes: time.Hour}, p: Patience{Timeout: time.Minute}, asked: 2, want: TimedOut,
			min: 2 * time.Minute, max: 2*time.Minute + time.Second},
		{name: "not again: it won't", s: &script{faults: times(1, fault(Refused))}, asked: 1, want: Refused},
		{name: "not again: too long", s: &script{faults: times(1, fault(TooLong))}, asked: 1, want: TooLong},
		{name: "not again: nonsense", s: &script{faults: times(1, fault(Nonsense))}, asked: 1, want: Nonsense},
		{name: "not again: the key", s: &script{faults: times(1, fault(Unauthorized))}, asked: 1, want: Unauthorized},
		{name: "not again: come back in an hour", s: &script{faults: times(1, after(RateLimited, time.Hour))}, asked: 1,
			want: RateLimited},
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			_, err := Patient(c.s, c.p).Complete(t.Context(), Request{Prompt: "?"})
			var e *Error
			if errors.As(err, &e) != (c.want != "") || e != nil && e.Fault != c.want {
				t.Errorf("%s: got %v, want %q", c.name, err, c.want)
			}
			if got := c.s.n; got != c.asked {
				t.Errorf("%s: asked %d times, want %d", c.name, got, c.asked)
			}
			if took := time.Since(start); took < c.min || took > c.max {
				t.Errorf("%s: took %v, want %v to %v", c.name, took, c.min, c.max)
			}
		})
	}
}

// A dead service costs a night of a thousand requests seconds, and every one
// of them is told why; later it is asked again.
func TestPatientServiceDown(t *testing.T) {
	for _, f := range []*Error{fault(Unreachable), fault(Unauthorized), fault(NoCredit), fault(NotFound),
		after(RateLimited, 5*time.Minute)} {
		synctest.Test(t, func(t *testing.T) {
			s := &script{faults: times(20, f)}
			m := Patient(s, Patience{})
			start := time.Now()
			for i := range 1000 {
				_, err := m.Complete(t.Context(), Request{})
				var e *Error
				if !errors.As(err, &e) || e.Fault != f.Fault {
					t.Fatalf("%s, request %d: got %v", f.Fault, i, err)
				}
			}
			if took, n := time.Since(start), s.n; took > 30*time.Second || n > 10 {
				t.Errorf("%s: a thousand requests took %v and %d tries, want seconds and at most 10", f.Fault, took, n)
			}
			s.n = 20
			time.Sleep(11 * time.Minute)
			if _, err := m.Complete(t.Context(), Request{}); err != nil {
				t.Errorf("%s: it is up again: got %v", f.Fault, err)
			}
		})
	}
}

// A service that is away for a second costs no request, however many fail at once.
func TestPatientShortOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{faults: times(16, fault(Overloaded))}
		m := Patient(s, Patience{AtOnce: 16})
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				if _, err := m.Complete(t.Context(), Request{}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	})
}

// A fault now and then doesn't count as a service that is down.
func TestPatientFaultsBetween(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{}
		for range 100 {
			s.faults = append(s.faults, fault(Overloaded), fault(Unreachable), fault(RateLimited), nil)
		}
		m := Patient(s, Patience{})
		for i := range 100 {
			if _, err := m.Complete(t.Context(), Request{}); err != nil {
				t.Fatalf("request %d: %v", i, err)
			}
		}
	})
}

func TestPatientAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{takes: time.Second}
		m := Patient(s, Patience{AtOnce: 3})
		start := time.Now()
		var all sync.WaitGroup
		for range 12 {
			all.Go(func() {
				if _, err := m.Complete(t.Context(), Request{}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if got := s.most; got != 3 {
			t.Errorf("%d at once, want 3", got)
		}
		if last := s.when[11].Sub(start); last != 3*time.Second {
			t.Errorf("the last went out after %v, want 3 s", last)
		}
	})
}

// Ctrl-C ends it at once, whatever it waits for.
func TestPatientCancelled(t *testing.T) {
	for name, s := range map[string]*script{
		"an answer": {takes: time.Hour}, "a pause": {faults: times(9, after(RateLimited, time.Minute))},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			m := Patient(s, Patience{AtOnce: 1})
			ended := make(chan error, 3)
			for range 3 {
				go func() {
					_, err := m.Complete(ctx, Request{})
					ended <- err
				}()
			}
			synctest.Wait()
			start := time.Now()
			cancel()
			for range 3 {
				if err := <-ended; !errors.Is(err, context.Canceled) || time.Since(start) > 0 {
					t.Errorf("waiting for %s: got %v after %v, want context.Canceled at once", name, err, time.Since(start))
				}
			}
		})
	}
}
