package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/distill"
	"recall/ingest"
	"recall/internal/llm"
	"recall/library"
	"recall/library/check"
	"recall/library/forget"
	"recall/payload"
	"recall/pipeline"
	"recall/pipeline/improve"
)

// script is an Improver that makes a decision of each typed turn, in its own
// words, and does what it is told to meanwhile.
type script struct {
	prompt string
	mu     sync.Mutex
	asked  []string // sessions, in order
	do     func(s *ingest.Session) error
}

func (k *script) Name() string                { return "model/script/1" }
func (k *script) Prompt() string              { return k.prompt }
func (k *script) Ripe(s *ingest.Session) bool { return len(s.Turns) > 2 }
func (k *script) Estimate(context.Context, *ingest.Session) (distill.Estimate, error) {
	return distill.Estimate{Requests: 1, In: 100, Out: 10}, nil
}

func (k *script) Improve(ctx context.Context, s *ingest.Session, rules *payload.Payload) (*payload.Payload, error) {
	k.mu.Lock()
	k.asked = append(k.asked, string(s.ID)[:1])
	k.mu.Unlock()
	if k.do != nil {
		if err := k.do(s); err != nil {
			return nil, err
		}
	}
	p := &payload.Payload{}
	for _, t := range s.Turns {
		if t.Kind == ingest.Prompt && t.Text != "" && !t.Copied {
			quote := t.Text[:min(len(t.Text), 60)]
			p.Items = append(p.Items, payload.Item{Kind: payload.Decision, Text: "Heard " + quote,
				By: payload.ByUser, Maker: payload.ByModel, State: payload.Stands,
				At: t.At, Evidence: []payload.Evidence{{Turn: string(t.ID), N: t.N, Quote: quote}}})
		}
	}
	return p, ctx.Err()
}

func (k *script) take() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	all := k.asked
	k.asked = nil
	slices.Sort(all)
	return all
}

// improve syncs and asks, at a time long after the talks.
func improved(t *testing.T, p *pipeline.Pipeline, root string) improve.Report {
	t.Helper()
	syncAll(t, p, root)
	r, err := asker(p).Run(context.Background(), improve.Options{Quiet: 30 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range r.Problems {
		t.Errorf("skipped: %s: %s", problem.Path, problem.Reason())
	}
	return r
}

// texts are the decisions of a session that a maker made; rules make leads of what
// people say.
func texts(t *testing.T, l *library.Library, id string, maker payload.Maker) []string {
	t.Helper()
	p, err := l.Payload(ingest.SessionID(id))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, it := range p.Items {
		if it.Maker == maker && (it.Kind == payload.Decision || it.Kind == payload.Lead && it.By == payload.ByUser) {
			all = append(all, it.Text)
		}
	}
	return all
}

// Who is shown what a model makes asks about the latest work next.
func TestNewestFirst(t *testing.T) {
	root := t.TempDir()
	p := open(t, t.TempDir())
	p.Now = func() time.Time { return day.AddDate(0, 1, 0) }
	model := &script{prompt: "a"}
	asker(p).Improver = model
	for _, k := range []talk{second, third, first} {
		k.said = first.said
		k.write(t, root)
	}
	syncAll(t, p, root)
	r, err := asker(p).Run(t.Context(), improve.Options{Quiet: 30 * time.Minute, AtOnce: 1})
	if err != nil || r.Improved != 3 {
		t.Fatalf("got %+v, %v, want three improved", r, err)
	}
	if want := []string{third.id[:1], second.id[:1], first.id[:1]}; !slices.Equal(model.asked, want) {
		t.Errorf("asked about %v, want %v", model.asked, want)
	}
}

// What a model made stays whatever made it: nothing asks again but other bytes
// of the session. Between two askings rules add what is new, people's edits win,
// and ids follow their items.
func TestImprove(t *testing.T) {
	root := t.TempDir()
	p := open(t, t.TempDir())
	now := first.start.Add(10 * time.Minute)
	p.Now = func() time.Time { return now }
	model := &script{prompt: "a"}
	asker(p).Improver = model
	first.write(t, root)
	if r := improved(t, p, root); r.Asked != 0 || len(model.take()) != 0 {
		t.Errorf("a session of ten minutes ago was asked about: %+v", r)
	}
	now = now.AddDate(0, 0, 1)
	if r := improved(t, p, root); r.Improved != 1 || r.Waiting != 0 {
		t.Fatalf("got %+v, want one improved", r)
	}
	if got := texts(t, p.Library, first.id, payload.ByModel); len(got) != 2 {
		t.Fatalf("model's decisions: %q, want one a typed turn", got)
	}
	model.take()

	model.prompt = "b" // edited
	p.Now = func() time.Time { return now.AddDate(0, 2, 0) }
	if r := improved(t, p, root); r.Asked != 0 || len(model.take()) != 0 {
		t.Errorf("a prompt was edited: %+v, want nobody asked", r)
	}
	before := decisions(t, p.Library, first.id)
	p.Distiller = newer{p.Distiller}
	if r := improved(t, p, root); r.Asked != 0 || len(model.take()) != 0 {
		t.Errorf("recall was updated: %+v, want nobody asked", r)
	}
	if e, _ := p.Library.Session(ingest.SessionID(first.id)); e.Distilled.Distiller != "offline/next" ||
		e.Distilled.Model.Name != "model/script/1" {
		t.Errorf("recall was updated: the payload was made by %+v", e.Distilled)
	}
	if diff := cmp.Diff(before, decisions(t, p.Library, first.id)); diff != "" {
		t.Errorf("recall was updated, and the items are others:\n%s", diff)
	}
	if err := p.Forget(); err != nil { // the cache is lost
		t.Fatal(err)
	}
	if r := improved(t, p, root); r.Asked != 0 {
		t.Errorf("the cache was lost: %+v, want nobody asked", r)
	}

	e, _ := p.Library.Session(ingest.SessionID(first.id))
	page := filepath.Join(e.Folder, "payload.md")
	text, _ := os.ReadFile(page)
	edited := strings.Replace(string(text), "Heard Use exponential", "Ann says: Use exponential", 1)
	if edited == string(text) || !strings.Contains(edited, "distilled by model/script/1") {
		t.Fatalf("payload.md:\n%s", text)
	}
	if err := os.WriteFile(page, []byte(edited), 0o600); err != nil {
		t.Fatal(err)
	}
	more := first
	more.said = append(slices.Clone(first.said),
		"Let's go with 30 days for failed jobs instead of 7 days, because audits need them.",
		"Failed jobs are kept for 30 days.")
	more.write(t, root)
	syncAll(t, p, root)
	if got := texts(t, p.Library, first.id, payload.ByModel); len(got) != 1 {
		t.Errorf("after growth the model's are %q, want the one that Ann left", got)
	}
	if got := texts(t, p.Library, first.id, payload.ByHuman); len(got) != 1 || !strings.HasPrefix(got[0], "Ann says") {
		t.Errorf("after growth Ann's are %q", got)
	}
	if got := texts(t, p.Library, first.id, payload.ByRule); len(got) != 1 || !strings.Contains(got[0], "30 days") {
		t.Errorf("after growth the rules' are %q, want what the model hasn't seen alone", got)
	}
	if n := len(model.take()); n != 0 {
		t.Errorf("sync alone asked %d times", n)
	}
	if r := improved(t, p, root); r.Improved != 1 {
		t.Errorf("grown: %+v, want it asked about again", r)
	}
	if got := texts(t, p.Library, first.id, payload.ByRule); len(got) != 0 {
		t.Errorf("rules' decisions %q are left beside the model's", got)
	}
	after := decisions(t, p.Library, first.id)
	for id := range before {
		if !after[id] {
			t.Errorf("item %s is gone after growth", id)
		}
	}
	if got := texts(t, p.Library, first.id, payload.ByHuman); len(got) != 1 || !strings.HasPrefix(got[0], "Ann says") {
		t.Errorf("after a better payload Ann's are %q", got)
	}
	if hit := asked(t, p, "failed jobs kept how long"); hit.Item.Maker != payload.ByModel {
		t.Errorf("the index has %+v, want the model's item", hit)
	}
	if v, err := check.Verify(context.Background(), p.Library, nil); err != nil || len(v.Findings) > 0 {
		t.Errorf("verify: %v %+v", err, v.Findings)
	}
}

// newer is a distiller of a newer recall.
type newer struct{ distill.Distiller }

func (newer) Name() string { return "offline/next" }

func decisions(t *testing.T, l *library.Library, id string) map[payload.ItemID]bool {
	t.Helper()
	p, err := l.Payload(ingest.SessionID(id))
	if err != nil {
		t.Fatal(err)
	}
	all := map[payload.ItemID]bool{}
	for _, it := range p.Items {
		if it.Kind == payload.Decision {
			all[it.ID] = true
		}
	}
	return all
}

// several are talks of sessions a, b, c, …, a day apart, the last one too short
// to be asked about.
func several(t *testing.T, root string, n int) (all []talk) {
	for i := range n {
		k := talk{id: fmt.Sprintf("%s-0000-4000-8000-000000000001", strings.Repeat(string(rune('a'+i)), 8)),
			start: day.AddDate(0, 0, i), said: []string{
				fmt.Sprintf("Let's go with plan %d for the cache instead of plan %d, because it is simpler.", i, i+1), "Done.",
				fmt.Sprintf("Keep %d backups.", i+3), "Kept."}}
		if i == n-1 {
			k.said = k.said[:2]
		}
		k.write(t, root)
		all = append(all, k)
	}
	return all
}

// Whatever the model's fault, every session keeps its payload and is asked about
// again: the next time where the fault may pass, after longer and longer where
// it is the session's, and nobody else is bothered where all would fail.
func TestImproveFaults(t *testing.T) {
	busy := func(f llm.Fault) error { return &llm.Error{Fault: f, Model: "script/1", Status: 429} }
	only := func(letter string, err error) func(*ingest.Session) error {
		return func(s *ingest.Session) error {
			if strings.HasPrefix(string(s.ID), letter) {
				return fmt.Errorf("extract: %w", err)
			}
			return nil
		}
	}
	for _, c := range []struct {
		name   string
		do     func(*ingest.Session) error
		first  improve.Report
		nights []string // who is asked on the nights after, the fault lasting
	}{
		{"one is refused", only("b", &llm.Error{Fault: llm.Refused}),
			improve.Report{Asked: 4, Improved: 2, Unripe: 1, Waiting: 1, Why: "refused"},
			[]string{"b", "", "b", "", "", "", "b"}},
		{"one times out", only("b", &llm.Error{Fault: llm.TimedOut}),
			improve.Report{Asked: 4, Improved: 2, Unripe: 1, Waiting: 1, Why: "timed out"},
			[]string{"b", "", "b", "", "", "", "b"}},
		{"one costs too much", only("b", &llm.Capped{Cap: "session", Limit: "$0.10"}),
			improve.Report{Asked: 4, Improved: 2, Unripe: 1, Waiting: 1, Why: "the session's budget of $0.10 is used up"},
			[]string{"b", ""}},
		{"a panic", func(s *ingest.Session) error {
			if s.ID[0] == 'b' {
				panic("no such thing")
			}
			return nil
		}, improve.Report{Asked: 4, Improved: 2, Unripe: 1, Waiting: 1, Why: "ask: a fault in recall: no such thing"},
			[]string{"b", ""}},
		{"the key is wrong", only("", busy(llm.Unauthorized)), improve.Report{Asked: 4, Unripe: 1, Waiting: 3,
			Why: "unauthorized (429)"}, []string{"c", "c"}},
		{"the night's money is gone", only("", &llm.Capped{Cap: "night", Limit: "$1.00"}),
			improve.Report{Asked: 4, Unripe: 1, Waiting: 3, Why: "the night's budget of $1.00 is used up"}, []string{"c"}},
		{"the service is down", only("", busy(llm.Overloaded)), improve.Report{Asked: 4, Unripe: 1, Waiting: 3,
			Why: "overloaded (429)"}, []string{"abc", "abc"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			p := open(t, t.TempDir())
			now := day.AddDate(0, 1, 0)
			p.Now = func() time.Time { return now }
			model := &script{do: c.do}
			asker(p).Improver = model
			all := several(t, root, 4)
			syncAll(t, p, root)
			ask := func() improve.Report {
				r, err := asker(p).Run(context.Background(), improve.Options{AtOnce: 1})
				if err != nil {
					t.Fatal(err)
				}
				if (r.Cause == nil) != (r.Why == "" || r.Why == "interrupted") {
					t.Errorf("why %q, for %v", r.Why, r.Cause)
				}
				if spent := strings.Contains(r.Why, "budget"); r.Failed() != (r.Cause != nil && !spent) {
					t.Errorf("failed: %v, although %q", r.Failed(), r.Why)
				}
				w, err := improve.WaitingIn(p, 0)
				if err != nil || w.Again.After(now) != (w.Resting > 0) || w.Sessions < r.Waiting || w.Failed < w.Resting {
					t.Errorf("after %+v waits %+v (%v)", r, w, err)
				}
				r.Problems, r.Cause = nil, nil
				return r
			}
			if diff := cmp.Diff(c.first, ask()); diff != "" {
				t.Errorf("the first night (-want +got):\n%s", diff)
			}
			model.take()
			for i, want := range c.nights {
				now = now.AddDate(0, 0, 1)
				ask()
				if got := strings.Join(model.take(), ""); got != want {
					t.Errorf("night %d: asked about %q, want %q", i+2, got, want)
				}
			}
			model.do = nil
			now = now.AddDate(0, 2, 0)
			if r := ask(); r.Waiting+r.Resting != 0 {
				t.Errorf("well again: %+v", r)
			}
			for _, k := range all[:3] {
				if len(texts(t, p.Library, k.id, payload.ByModel)) != 2 {
					t.Errorf("%s has %q in the end", k.id, texts(t, p.Library, k.id, payload.ByModel))
				}
			}
		})
	}
}

// While one process asks, another finds it busy; sessions that grow, are edited
// or forgotten meanwhile lose nothing and leave nothing; a stop is at once.
func TestImproveMeanwhile(t *testing.T) {
	root, dir := t.TempDir(), t.TempDir()
	p := open(t, dir)
	p.Now = func() time.Time { return day.AddDate(0, 1, 0) }
	all := several(t, root, 3)
	syncAll(t, p, root)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	asker(p).Improver = &script{do: func(s *ingest.Session) error {
		switch s.ID[0] {
		case 'a':
			if r, err := asker(p).Run(ctx, improve.Options{}); err != nil || !r.Busy {
				t.Errorf("a second one: %+v %v, want it busy", r, err)
			}
			more := all[0]
			more.said = append(slices.Clone(more.said),
				"Let's go with weekly restores instead of monthly ones, because nobody trusts them.", "Good.")
			more.write(t, root)
			syncAll(t, p, root)
		case 'b':
			if err := forget.Sessions(p.Library, []ingest.SessionID{s.ID}, nil); err != nil {
				t.Error(err)
			}
			if err := p.Library.KeepAnswer("abc", []byte("of b")); err != nil {
				t.Error(err)
			}
		}
		return nil
	}}
	r, err := asker(p).Run(ctx, improve.Options{AtOnce: 1})
	if err != nil || r.Improved != 1 || len(r.Problems) > 0 {
		t.Fatalf("got %+v %v", r, err)
	}
	if _, ok, _ := p.Library.Answer("abc"); ok {
		t.Error("an answer about a forgotten session is left")
	}
	if _, err := p.Library.Session(ingest.SessionID(all[1].id)); !errors.Is(err, library.ErrNoSession) {
		t.Errorf("the forgotten session: %v", err)
	}
	syncAll(t, p, root)
	if got := append(texts(t, p.Library, all[0].id, payload.ByModel),
		texts(t, p.Library, all[0].id, payload.ByRule)...); len(got) != 3 || !strings.Contains(got[2], "weekly restores") {
		t.Errorf("a session that grew meanwhile has %q, want two of the model's and the new one", got)
	}
	asker(p).Improver = &script{do: func(*ingest.Session) error { cancel(); return ctx.Err() }}
	if r, err := asker(p).Run(ctx, improve.Options{AtOnce: 1}); !errors.Is(err, context.Canceled) || r.Waiting != 1 {
		t.Errorf("stopped: %+v %v", r, err)
	}
}
