package main

import (
	"strings"
	"testing"
	"time"

	"recall/index"
	"recall/payload"
)

// printed is what a page shows of some results.
func printed(results ...index.Result) string {
	var b strings.Builder
	p := page{w: &b, width: 100, asked: "redis?"}
	p.print(index.Answer{Ranked: results, SearchedItems: 7, SearchedSessions: 2, Projects: 1}, answered, 5)
	return b.String()
}

func itemOf(it payload.Item) index.Result {
	return index.Result{Item: &index.Hit{Item: it, Turn: 3, Place: index.Place{Project: "billing", SessionN: 2, SessionTitle: "Cache"}}}
}

func turnOf(id, text string) index.Result {
	h := &index.TurnHit{Place: index.Place{Project: "billing", SessionN: 2, SessionTitle: "Cache"}}
	h.ID, h.N, h.Role, h.Text, h.At = id, 4, "assistant", text, time.Date(2026, 3, 2, 12, 0, 0, 0, time.Local)
	return index.Result{Turn: h}
}

func TestPageShowsEvidence(t *testing.T) {
	it := payload.Item{Kind: payload.Eliminated, Text: "Redis.", Why: "another server to run", By: payload.ByUser, State: payload.Stands,
		At: time.Date(2026, 3, 2, 12, 0, 0, 0, time.Local), Evidence: []payload.Evidence{{Turn: "t3", N: 3, Quote: "no redis,\x1b[2J it's another\nserver"}}}
	got := printed(itemOf(it))
	for _, want := range []string{"✗ Ruled out: Redis.", "ruled out 2026-03-02", "  why   another server to run", `  who   you · session 2 "Cache", turn 3`,
		"  “no redis,[2J it's another server”", "  recall open 1 · recall why 1 · 2 sessions searched"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// A turn of tool calls alone has nothing to quote; a quote of nothing isn't
// shown as one.
func TestPageHasNoEmptyQuote(t *testing.T) {
	it := payload.Item{Kind: payload.Decision, Text: "Use an LRU.", Evidence: []payload.Evidence{{Turn: "t3", N: 3, Quote: "\x07 \n"}}}
	got := printed(itemOf(it), turnOf("t4", " \n\x1b"))
	if strings.Contains(got, "“”") || strings.Contains(got, "“ ”") {
		t.Errorf("an empty quote in\n%s", got)
	}
	if !strings.Contains(got, "turn 4, 2026-03-02 (no words, only tool calls)") {
		t.Errorf("the turn isn't named in\n%s", got)
	}
}

// A turn is left out only where nothing of it would be new.
func TestPageLeavesEchoesOut(t *testing.T) {
	it := payload.Item{Kind: payload.Decision, Text: "Use an LRU.", Evidence: []payload.Evidence{{Turn: "t3", N: 3, Quote: "let's use an LRU, it met the target"}}}
	got := printed(itemOf(it), turnOf("t3", "Let's use an LRU, it met the target."), turnOf("t5", "The LRU holds 512 entries."))
	if n := strings.Count(got, "met the target"); n != 1 {
		t.Errorf("said %d times:\n%s", n, got)
	}
	if !strings.Contains(got, "512 entries") {
		t.Errorf("what is new isn't shown:\n%s", got)
	}
}
