package pipeline_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"recall/internal/llm"
	"recall/pipeline/improve"
)

// Each cap holds for what it names, by what the ledger has and what is on its
// way; a new night begins at noon, a new month on the first; nothing is granted
// that can't be written down.
func TestPurse(t *testing.T) {
	p := open(t, t.TempDir())
	now := time.Date(2026, 4, 28, 2, 0, 0, 0, time.UTC)
	purse := func(c improve.Caps) *improve.Purse {
		return improve.NewPurse(p.Library, c, func() time.Time { return now })
	}
	call := func(session string, tokens int, cost float64) llm.Call {
		return llm.Call{Account: llm.Account{Session: session, Project: "app"}, Task: "extract", Model: "openai/small",
			Usage: llm.Usage{In: tokens}, Cost: cost, Priced: true}
	}
	spend := func(u *improve.Purse, c, took llm.Call) string {
		t.Helper()
		err := u.Reserve(c)
		var capped *llm.Capped
		if errors.As(err, &capped) {
			return capped.Cap + " " + capped.Limit
		}
		if err == nil {
			err = u.Settle(c, took)
		}
		if err != nil {
			t.Fatal(err)
		}
		return ""
	}
	caps := improve.Caps{Session: improve.Cap{Cost: 0.25}, Night: improve.Cap{Cost: 1}, Month: improve.Cap{Tokens: 10_000}}
	for _, step := range []struct {
		name string
		at   time.Time
		call llm.Call
		took llm.Call
		want string
	}{
		{"the first", now, call("a", 1000, 0.20), call("a", 900, 0.18), ""},
		{"its estimate doesn't count any more", now, call("a", 500, 0.06), call("a", 500, 0.06), ""},
		{"the session's", now, call("a", 500, 0.06), llm.Call{}, "session $0.25"},
		{"another session", now, call("b", 500, 0.24), call("b", 500, 0.24), ""},
		{"one that took more than was thought", now, call("c", 500, 0.24), call("c", 600, 0.45), ""},
		{"the night's", now, call("d", 500, 0.20), llm.Call{}, "night $1.00"},
		{"still the same night", now.Add(9 * time.Hour), call("d", 500, 0.20), llm.Call{}, "night $1.00"},
		{"the next night", now.Add(11 * time.Hour), call("d", 500, 0.20), call("d", 500, 0.20), ""},
		{"one that wasn't made", now.Add(11 * time.Hour), call("e", 5000, 0.20), llm.Call{}, ""},
		{"the month's", now.Add(24 * time.Hour), call("e", 7500, 0.01), llm.Call{}, "month 10000 tokens"},
		{"of nobody in particular", now.Add(24 * time.Hour), call("", 100, 0.50), call("", 100, 0.50), ""},
		{"the next month", now.AddDate(0, 0, 4), call("e", 7500, 0.01), call("e", 7500, 0.01), ""},
	} {
		now = step.at
		// As the same process, and as a new one that only has the ledger.
		if got := spend(purse(caps), step.call, step.took); got != step.want {
			t.Errorf("%s: got %q, want %q", step.name, got, step.want)
		}
	}

	now = now.AddDate(0, 1, 0)
	many := purse(improve.Caps{Night: improve.Cap{Cost: 1}})
	var wg sync.WaitGroup
	var mu sync.Mutex
	granted := 0
	for range 50 {
		wg.Go(func() {
			if many.Reserve(call("x", 1, 0.09)) == nil {
				mu.Lock()
				defer mu.Unlock()
				granted++
			}
		})
	}
	wg.Wait()
	if granted != 11 {
		t.Errorf("%d calls of $0.09 were granted at once under a cap of $1, want 11", granted)
	}

	alone := improve.NewPurse(nil, improve.Caps{Night: improve.Cap{Cost: 1}}, nil) // without a library
	if got := spend(alone, call("", 500, 0.60), call("", 500, 0.70)); got != "" {
		t.Errorf("without a library: got %q at first", got)
	}
	if got, want := spend(alone, call("", 500, 0.40), llm.Call{}), "night $1.00"; got != want {
		t.Errorf("without a library: got %q, want %q", got, want)
	}

	path := filepath.Join(p.Library.Dir(), "usage.jsonl")
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
		t.Fatal(err)
	}
	broken := purse(improve.Caps{})
	if err := broken.Reserve(call("y", 1, 0.01)); err != nil {
		t.Fatal(err)
	}
	if err := broken.Settle(call("y", 1, 0.01), call("y", 1, 0.01)); err == nil {
		t.Error("a ledger that can't be written: no error")
	}
	if err := broken.Reserve(call("y", 1, 0.01)); err == nil {
		t.Error("more was granted by a purse that can't write it down")
	}
}
