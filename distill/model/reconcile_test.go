package model

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"recall/distill/relate"
	"recall/internal/llm"
	"recall/payload"
)

func pair(n int, earlier, later string) Pair {
	item := func(id, session, text string, at int) relate.Item {
		return relate.Item{Session: session, Start: day(at), Item: payload.Item{ID: payload.ItemID(id),
			Kind: payload.Decision, Text: text, Maker: payload.ByModel,
			At: day(at), Evidence: []payload.Evidence{{Turn: "r1", N: 1, Quote: "we said: " + text}}}}
	}
	return Pair{Earlier: item(fmt.Sprintf("earlier%03d", n), "s1", earlier, n),
		Later: item(fmt.Sprintf("later%03d", n), "s2", later, n+1)}
}

// rule answers about pairs by what it is told.
func rule(rulings ...ruling) func(llm.Request) (string, error) {
	return func(llm.Request) (string, error) {
		for i := range rulings {
			rulings[i].Number = i + 1
		}
		data, err := json.Marshal(map[string]any{"pairs": rulings})
		return string(data), err
	}
}

func TestReconcile(t *testing.T) {
	pairs := []Pair{
		pair(1, "Retries wait a fixed 30 s", "Retries use exponential backoff"),
		pair(2, "The cache holds 1,000 entries", "The cache holds 200 entries on phones"),
		pair(3, "Retries wait a fixed 30 s", "The logo is blue"),
		pair(4, "The page is in French", "The page is in German"),
		pair(5, "Workers poll every 2 s", "Workers are told by a socket"),
		pair(6, "Titles are short", "The port is 8080"),
		pair(7, "Logs go to stderr", "Logs go to a file"),
	}
	m := &scripted{answer: rule(
		ruling{Relation: "supersedes", Earlier: "wait a fixed 30 s", Later: "Retries use exponential backoff"},
		ruling{Relation: "refines", Earlier: "we said: The cache holds", Later: "200 entries on phones"},
		ruling{Relation: "unrelated"},
		ruling{Relation: "contradicts", Earlier: "in French", Later: "in Spanish"}, // not said
		ruling{Relation: "replaces", Earlier: "Workers poll", Later: "by a socket"},
		ruling{Relation: "supersedes", Earlier: "Titles are short", Later: "The port is 8080"}, // not a word in common
	)}
	store := newMemory()
	im := improver(t, m, store, nil)
	got, err := im.Reconcile(t.Context(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []payload.Relation{payload.Supersedes, payload.Refines, "", "", "", "", ""} {
		if got[i].Relation != want || !got[i].Known {
			t.Errorf("pair %d: got %+v, want %q", i+1, got[i], want)
		}
	}
	l, ok := im.Link(pairs[0], got[0])
	if !ok || l.Hides() || l.From != pairs[0].Later.ID || l.To != pairs[0].Earlier.ID || l.FromEvidence == nil ||
		l.ToEvidence.Quote != "we said: Retries wait a fixed 30 s" || !strings.HasPrefix(l.Rule, "reconcile/") {
		t.Errorf("got link %+v", l)
	}
	if err := l.Check(); err != nil {
		t.Error(err)
	}
	if _, ok := im.Link(pairs[2], got[2]); ok {
		t.Error("a link between unrelated items")
	}
	m.forget()
	m.answer = func(llm.Request) (string, error) { return `{"pairs":[]}`, nil }
	none, err := improver(t, m, newMemory(), nil).Reconcile(t.Context(), pairs)
	if err != nil || len(m.asked) != 1 || !none[0].Known || none[0].Relation != "" {
		t.Errorf("an empty list: got %v, %v after %d requests, want all unrelated after one", none, err, len(m.asked))
	}
	m.forget()
	m.answer = rule(ruling{Relation: "same", Earlier: "Logs go to", Later: "Logs go to"})
	if got, err = im.Reconcile(t.Context(), pairs); err != nil || len(m.asked) != 0 || got[6].Relation != "" ||
		got[0].Relation != payload.Supersedes {
		t.Errorf("again: got %v, %v after %d requests, want none: the one left out is unrelated", got, err, len(m.asked))
	}
}

func TestReconcileFaults(t *testing.T) {
	for _, fault := range []llm.Fault{llm.Refused, llm.Unauthorized, llm.Overloaded} {
		m := &scripted{answer: fail(fault)}
		got, err := improver(t, m, newMemory(), nil).Reconcile(t.Context(), []Pair{pair(1, "a low limit", "a high limit")})
		if !faultIs(err, fault) || len(got) != 1 || got[0].Known {
			t.Errorf("%s: got %v, %v", fault, got, err)
		}
	}
}
