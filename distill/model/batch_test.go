package model

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/distill"
	"recall/ingest"
	"recall/internal/llm"
	"recall/payload"
)

// long is a session of several windows of 1,500 tokens.
func long() *ingest.Session {
	s := session("u: goal! Order the jobs by age")
	for i := range 12 {
		say(s, fmt.Sprintf("u: decision! Choice number %d of many. %s", i, filler(i, 120)))
	}
	say(s, "u: next! Measure the heap with ten thousand jobs")
	return s
}

// nights improves a session by batches, each answered by answer, and returns the
// payload, how many nights it took and how many requests went out.
func nights(t *testing.T, store llm.Store, s *ingest.Session, answer func(llm.Request) (string,
	error)) (p *payload.Payload, n, sent int, err error) {
	t.Helper()
	for n = 1; n < 9; n++ {
		// each night another process
		im := New(Options{Model: &scripted{answer: fail(llm.Rejected)}, Store: store, Window: 1500, Batch: true})
		p, err = im.Improve(t.Context(), s, nil)
		if !errors.Is(err, distill.ErrPending) {
			return p, n, sent, err
		}
		for key, r := range im.Outbox().Take() {
			sent++
			if text, err := answer(r); err == nil {
				err = im.Answered(key, llm.Response{Text: text}, im.Outbox().Of(key)...)
				if err != nil {
					t.Fatal(err)
				}
			} else if err := im.Failed(key, err, im.Outbox().Of(key)...); err != nil {
				t.Fatal(err)
			}
		}
		if len(im.outbox.waiting) > 0 {
			t.Fatal("the outbox isn't empty after Take")
		}
	}
	return nil, n, sent, err
}

func TestBatches(t *testing.T) {
	store := newMemory()
	s := long()
	p, n, sent, err := nights(t, store, s, obey)
	if err != nil || n != 2 || sent < 3 {
		t.Fatalf("got error %v after %d nights and %d requests, want the payload on the second", err, n, sent)
	}
	if len(p.Items) != 14 || len(p.Items[1].Aliases) == 0 {
		t.Errorf("got %d items, want 14 with other words", len(p.Items))
	}
	m := &scripted{}
	if again := must(t, improver(t, m, store, func(o *Options) { o.Window = 1500 }), s, nil); len(m.asked) > 0 ||
		len(again.Items) != 14 {
		t.Errorf("without batches asked %d times for what batches brought", len(m.asked))
	}
	say(s, "u: decision! The last choice is another one")
	if p, n, sent, err = nights(t, store, s, obey); err != nil || n != 2 || sent != 1 || len(p.Items) != 15 {
		t.Errorf("after growth: got error %v, %d nights, %d requests", err, n, sent)
	}
}

// While a batch is on its way the session may grow: what was asked about stays as
// it was.
func TestGrowthDuringABatch(t *testing.T) {
	store := newMemory()
	s := long()
	im := New(Options{Model: &scripted{}, Store: store, Window: 1500, Batch: true})
	if _, err := im.Improve(t.Context(), s, nil); !errors.Is(err, distill.ErrPending) {
		t.Fatal(err)
	}
	first := im.Outbox().Take()
	say(s, "u: decision! The last choice is another one "+filler(9, 100))
	if _, err := im.Improve(t.Context(), s, nil); !errors.Is(err, distill.ErrPending) {
		t.Fatal(err)
	}
	more := 0
	for key := range im.Outbox().Take() {
		if _, ok := first[key]; !ok {
			more++
		}
	}
	if more != 1 {
		t.Errorf("got %d more requests after growth, want 1", more)
	}
}

func TestBatchFaults(t *testing.T) {
	once := func(bad func(llm.Request) (string, error)) func(llm.Request) (string, error) {
		done := false
		return func(r llm.Request) (string, error) {
			if !done {
				done = true
				return bad(r)
			}
			return obey(r)
		}
	}
	for name, tt := range map[string]struct {
		answer func(llm.Request) (string, error)
		nights int
		fault  llm.Fault
	}{
		"nonsense once":   {once(func(llm.Request) (string, error) { return "{", nil }), 3, ""},
		"nonsense always": {func(llm.Request) (string, error) { return "{", nil }, 3, llm.Nonsense},
		"expired once":    {once(fail(llm.TimedOut)), 3, ""},
		"refused":         {once(fail(llm.Refused)), 2, llm.Refused},
		"cut once":        {once(fail(llm.Cut)), 3, ""},
	} {
		p, n, _, err := nights(t, newMemory(), long(), tt.answer)
		switch {
		case tt.fault != "" && !faultIs(err, tt.fault), tt.fault == "" && err != nil, n != tt.nights:
			t.Errorf("%s: got error %v after %d nights, want %q after %d", name, err, n, tt.fault, tt.nights)
		case err == nil && len(p.Items) != 14:
			t.Errorf("%s: got %v", name, texts(p))
		}
	}
}

func TestFailedForgetsWhatMayPass(t *testing.T) {
	store := newMemory()
	im := New(Options{Model: &scripted{}, Store: store})
	for _, err := range []error{&llm.Error{Fault: llm.RateLimited}, &llm.Error{Fault: llm.NoCredit},
		errors.New("broken")} {
		if got := im.Failed("extract-1", err); got != nil {
			t.Error(got)
		}
	}
	if d := cmp.Diff(map[string][]byte{}, store.kept); d != "" {
		t.Errorf("kept (-want +got):\n%s", d)
	}
}
