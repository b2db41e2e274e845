package pipeline_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"recall/distill/model"
	"recall/internal/llm"
	"recall/library"
	"recall/pipeline"
	"recall/pipeline/improve"
)

// post is a service that takes batches; what becomes of each request is decided
// when it is collected.
type post struct {
	name    string
	taken   map[string]map[string]llm.Request // by the batch's id
	times   map[string]int                    // that a key was submitted
	collect func(id string, key string) (answered bool)
	ended   bool
	err     error  // of the next calls
	breaks  bool   // requests leave before the error
	lost    string // id of a batch that Find finds
}

func (p *post) Find(_ context.Context, b llm.Lost) (string, error) {
	if len(p.taken[p.lost]) != b.Requests || slices.Contains(b.Others, p.lost) {
		return "", p.err
	}
	return p.lost, p.err
}

func (p *post) Name() string { return p.name }
func (p *post) Window() int  { return 32_000 }
func (p *post) Complete(context.Context, llm.Request) (llm.Response, error) {
	return llm.Response{}, &llm.Error{Fault: llm.Rejected, Text: "only batches here"}
}

func (p *post) Submit(ctx context.Context, _ string, requests map[string]llm.Request) (string, error) {
	if p.breaks {
		llm.Sent(ctx)
	}
	if p.err != nil {
		return "", p.err
	}
	id := fmt.Sprint("batch_", len(p.taken)+1)
	p.taken[id] = maps.Clone(requests)
	for key := range requests {
		p.times[key]++
	}
	return id, nil
}

func (p *post) Collect(_ context.Context, id string) (llm.Batch, error) {
	if p.err != nil {
		return llm.Batch{}, p.err
	}
	if p.taken[id] == nil {
		return llm.Batch{}, &llm.Error{Fault: llm.NotFound, Model: p.name, Status: 404}
	}
	b := llm.Batch{Ended: p.ended, Answers: map[string]llm.Answer{}}
	for key, r := range p.taken[id] {
		if p.collect(id, key) {
			q := chatRequest{}
			q.Messages = append(q.Messages, struct{ Role, Content string }{"system", r.System},
				struct{ Role, Content string }{"user", r.Prompt})
			b.Answers[key] = llm.Answer{Response: llm.Response{Text: answerTo(q), Usage: llm.Usage{In: 1000, Out: 100}}}
		}
	}
	return b, nil
}

// Requests go out with a batch, and its answers are taken in by later nights:
// in parts, once, at half the price, what expired asked again, what is on its way
// not. Neither a service that is down nor one that has changed loses or doubles
// anything.
func TestBatches(t *testing.T) {
	root, dir := t.TempDir(), t.TempDir()
	p := open(t, dir)
	now := day.AddDate(0, 1, 0)
	p.Now = func() time.Time { return now }
	writeTalks(t, root, 4)
	s := &post{name: "openai/small", taken: map[string]map[string]llm.Request{}, times: map[string]int{}}
	purse := func() *improve.Purse {
		return improve.NewPurse(p.Library, improve.Caps{Night: improve.Cap{Cost: 1}}, p.Now)
	}
	ask := func() { // as another process would
		improver := model.New(model.Options{Model: s, Store: p.Library, Batch: true})
		asker(p).Improver, asker(p).Batch = improver, &improve.Batching{Model: s, Purse: purse(), Prices: prices}
	}
	all := func(string, string) bool { return true }
	none := func(string, string) bool { return false }
	sorted := func(id string) []string { return slices.Sorted(maps.Keys(s.taken[id])) }
	type counts struct{ improved, pending, waiting, batches, onTheWay int }
	for _, step := range []struct {
		name string
		do   func()
		want counts
	}{
		{"handed in", func() { s.collect = none }, counts{pending: 4, batches: 1, onTheWay: 4}},
		{"nothing has come", func() {}, counts{pending: 4, batches: 1, onTheWay: 4}},
		{"the service is down", func() { s.err = &llm.Error{Fault: llm.Unreachable, Model: s.name} },
			counts{pending: 4, batches: 1, onTheWay: 4}},
		{"a part has come", func() {
			s.err = nil
			s.collect = func(id, key string) bool { return slices.Index(sorted(id), key) < 2 }
		}, counts{improved: 2, pending: 2, batches: 1, onTheWay: 2}},
		{"the same part", func() {
			s.collect = func(id, key string) bool { return id == "batch_1" && slices.Index(sorted(id), key) < 2 }
		}, counts{pending: 2, batches: 1, onTheWay: 2}},
		{"one of the rest expires", func() {
			s.ended = true
			s.collect = func(id, key string) bool { return slices.Index(sorted(id), key) != 3 }
		}, counts{improved: 1, pending: 1, batches: 2, onTheWay: 1}},
		{"all comes", func() { s.collect = all }, counts{improved: 1, batches: 2}},
	} {
		step.do()
		ask()
		now = now.AddDate(0, 0, 1)
		syncAll(t, p, root)
		r, err := asker(p).Run(context.Background(), improve.Options{Quiet: time.Hour})
		if err != nil || len(r.Problems) > 0 && s.err == nil {
			t.Fatalf("%s: %v %+v", step.name, err, r.Problems)
		}
		if f, err := asker(p).Foresee(context.Background(), []string{root}, improve.Options{}); err != nil ||
			f.Pending != step.want.pending || len(f.Sessions) > 0 {
			t.Errorf("%s: foreseen %d sessions, %d pending (%v), want %d pending", step.name, len(f.Sessions), f.Pending, err,
				step.want.pending)
		}
		n, err := improve.OnTheWay(p.Library)
		if err != nil {
			t.Fatal(err)
		}
		if got := (counts{r.Improved, r.Pending, r.Waiting, len(s.taken), n}); got != step.want {
			t.Errorf("%s: got %+v, want %+v", step.name, got, step.want)
		}
	}
	twice := 0
	for key, n := range s.times {
		if n > 1 {
			twice++
		}
		if n > 2 {
			t.Errorf("%s was submitted %d times", key, n)
		}
	}
	if twice != 1 {
		t.Errorf("%d requests were submitted twice, want the one that expired", twice)
	}
	lines, cost := 0, 0.0
	for line, err := range p.Library.Spending() {
		if err != nil || !line.Batch || line.Session == "" || line.In != 1000 {
			t.Errorf("%+v %v: want a request of a session, answered with a batch", line, err)
		}
		lines, cost = lines+1, cost+line.Cost
	}
	if want := float64(lines) * (1000*0.1 + 100*0.4) * 0.5 / 1e6; lines != len(s.times) || cost < want*0.999 ||
		cost > want*1.001 {
		t.Errorf("%d lines for $%f, want %d for $%f", lines, cost, len(s.times), want)
	}
}

// A batch whose id is lost, that another model was asked for, or that would cost
// too much holds nothing up for long.
func TestBatchTroubles(t *testing.T) {
	for _, c := range []struct {
		name   string
		caps   improve.Caps
		before func(t *testing.T, p *pipeline.Pipeline, s *post)
		nights []string // batches by the end of each, "!" for problems, and why sessions wait
	}{
		{"the service doesn't know it", improve.Caps{}, func(_ *testing.T, _ *pipeline.Pipeline, s *post) {
			s.taken = map[string]map[string]llm.Request{}
			s.times = map[string]int{}
		}, []string{"1!", "1"}},
		{"a page of whoever stands between", improve.Caps{}, func(_ *testing.T, _ *pipeline.Pipeline, s *post) {
			s.err = &llm.Error{Fault: llm.NotFound, Status: 200, Text: llm.WebPage}
		}, []string{"1!"}},
		{lateName, improve.Caps{}, func(_ *testing.T, _ *pipeline.Pipeline, s *post) {
			s.ended, s.collect = true, func(string, string) bool { return true }
		}, []string{"1"}},
		{"another model", improve.Caps{}, func(_ *testing.T, _ *pipeline.Pipeline, s *post) { s.name = "openai/other" },
			[]string{"1", "2"}},
		{"killed while it was sent", improve.Caps{}, func(t *testing.T, p *pipeline.Pipeline, s *post) {
			lines := linesOf(t, p)
			s.name = "openai/small"
			if err := p.Library.NoteBatch(library.BatchLine{Op: library.BatchDone, Batch: lines[0].Batch},
				library.BatchLine{Op: library.BatchAsk, Batch: "x", Key: lines[0].Key, Model: s.name}); err != nil {
				t.Fatal(err)
			}
		}, []string{"2"}},
		{foundName, improve.Caps{}, func(t *testing.T, p *pipeline.Pipeline, s *post) {
			lines := linesOf(t, p)
			var again []library.BatchLine // as they stand before the service has answered
			for _, line := range lines {
				if line.Op == library.BatchAsk {
					line.Batch = "x"
					again = append(again, line)
				}
			}
			s.taken["lost"] = s.taken["batch_1"]
			s.lost, s.ended, s.collect = "lost", true, func(string, string) bool { return true }
			if err := p.Library.NoteBatch(append(again, library.BatchLine{Op: library.BatchDone,
				Batch: lines[0].Batch})...); err != nil {
				t.Fatal(err)
			}
		}, []string{"2"}}, // the lost one's copy
		{"no money", improve.Caps{Month: improve.Cap{Cost: 0.0001}}, func(*testing.T, *pipeline.Pipeline, *post) {},
			[]string{"0 the month's budget of $0.00 is used up"}},
		{"refused", improve.Caps{}, func(_ *testing.T, _ *pipeline.Pipeline, s *post) {
			s.taken = map[string]map[string]llm.Request{}
			s.err = &llm.Error{Fault: llm.Unauthorized, Status: 401}
		}, []string{"0! "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			p := open(t, t.TempDir())
			now := day.AddDate(0, 1, 0)
			p.Now = func() time.Time { return now }
			writeTalks(t, root, 2)
			syncAll(t, p, root)
			s := &post{name: "openai/small", taken: map[string]map[string]llm.Request{}, times: map[string]int{},
				collect: func(string, string) bool { return false }}
			night := func() string {
				asker(p).Improver = model.New(model.Options{Model: s, Store: p.Library, Batch: true})
				asker(p).Batch = &improve.Batching{Model: s, Purse: improve.NewPurse(p.Library, c.caps, p.Now), Prices: prices}
				r, err := asker(p).Run(context.Background(), improve.Options{})
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("asked: %+v", r)
				now = now.Add(20 * time.Hour)
				return strings.TrimSpace(fmt.Sprint(len(s.taken), strings.Repeat("!", len(r.Problems)), " ", r.Why))
			}
			night()
			c.before(t, p, s)
			if c.name == lateName {
				now = now.AddDate(0, 1, 0)
			}
			if c.name == lateName || c.name == foundName {
				defer func() {
					for key, n := range s.times {
						if n > 1 {
							t.Errorf("%s was submitted %d times though its answer was there", key, n)
						}
					}
				}()
			}
			for i, want := range c.nights {
				if got := night(); strings.ReplaceAll(got, " !", "!") != strings.TrimSpace(want) {
					t.Errorf("night %d: got %q, want %q", i+2, got, want)
				}
			}
		})
	}
}

// linesOf is what is noted of the first night's batch, which was sent.
func linesOf(t *testing.T, p *pipeline.Pipeline) []library.BatchLine {
	t.Helper()
	lines, err := p.Library.BatchLines()
	if err != nil || len(lines) == 0 || lines[len(lines)-1].Op != library.BatchSent {
		t.Fatalf("%+v, %v: want a batch that was sent", lines, err)
	}
	return lines
}

// A batch that may have arrived stands until the service was asked for it, one
// that never left doesn't.
func TestBatchBreaksOff(t *testing.T) {
	for _, left := range []bool{false, true} {
		root := t.TempDir()
		p := open(t, t.TempDir())
		p.Now = func() time.Time { return day.AddDate(0, 1, 0) }
		writeTalks(t, root, 2)
		syncAll(t, p, root)
		s := &post{name: "openai/small", taken: map[string]map[string]llm.Request{}, times: map[string]int{},
			collect: func(string, string) bool { return false }}
		s.err, s.breaks = &llm.Error{Fault: llm.Unreachable}, left
		night := func() improve.Report {
			asker(p).Improver = model.New(model.Options{Model: s, Store: p.Library, Batch: true})
			asker(p).Batch = &improve.Batching{Model: s, Purse: improve.NewPurse(p.Library, improve.Caps{}, p.Now),
				Prices: prices}
			r, err := asker(p).Run(context.Background(), improve.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		if r := night(); r.Waiting != 2 || r.Why != "unreachable" {
			t.Errorf("left %v: got %+v, want two that wait", left, r)
		}
		if n, err := improve.OnTheWay(p.Library); err != nil || (n == 2) != left {
			t.Errorf("left %v: %d requests on the way, %v", left, n, err)
		}
		if r := night(); (r.Pending == 2) != left || len(r.Problems) > 1 || left != (len(r.Problems) == 1) {
			t.Errorf("left %v, and the service is down: got %+v", left, r)
		}
		s.err = nil
		if r := night(); r.Pending != 2 || len(s.taken) != 1 || len(r.Problems) > 0 {
			t.Errorf("left %v, and the service is back: got %+v and %d batches", left, r, len(s.taken))
		}
	}
}

const (
	lateName  = "a month later its answers are still there"
	foundName = "killed while it was sent, and found"
)

// writeTalks writes sessions that say enough to be asked about.
func writeTalks(t *testing.T, root string, n int) {
	talks, _ := secretTalks(n, 0)
	for _, k := range talks {
		k.write(t, root)
	}
}
