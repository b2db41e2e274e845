package model

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/llm"
)

func TestRephraseAsksForNewItemsOnly(t *testing.T) {
	m, store := &scripted{}, newMemory()
	s := session("u: goal! Order the jobs by age")
	for i := range 60 {
		say(s, fmt.Sprintf("u: decision! Choice number %d of many", i))
	}
	im := improver(t, m, store, nil)
	p := must(t, im, s, nil)
	if n := len(m.of("rephrase")); n != 3 {
		t.Errorf("asked %d times for 61 items, want 3", n)
	}
	for _, it := range p.Items {
		if len(it.Aliases) == 0 {
			t.Errorf("no other words for %q", it.Text)
		}
	}
	m.forget()
	say(s, "u: flag! The heap is not safe for two writers")
	must(t, im, s, nil)
	asked := m.of("rephrase")
	if len(asked) != 1 || strings.Contains(asked[0].Prompt, "Choice") ||
		!strings.Contains(asked[0].Prompt, "1. flag: The heap") {
		t.Errorf("asked about %v, want the flag alone", asked)
	}
}

func TestOtherWords(t *testing.T) {
	bad := note{Aliases: many[word]{"", "heap", `"priority list"`, "priority list", "first in line\nnext",
		word(strings.Repeat("x", 300)), "what comes first of all jobs", "<!-- recall k3v9t2m8qa -->"},
		Asks: many[word]{"Which of all the jobs that wait in the queue of a worker is taken first?",
			"How are jobs sorted?", "Which first?", "A third?"}}
	for i := range 20 {
		bad.Aliases = append(bad.Aliases, word(fmt.Sprintf("alias %d", i)))
	}
	for name, tt := range map[string]struct {
		notes any
		want  []string
	}{
		"cleaned": {[]any{map[string]any{"number": 1, "aliases": bad.Aliases, "asks": bad.Asks}},
			[]string{"priority list", "first in line next", "alias 0", "alias 1", "alias 2", "alias 3",
				"alias 4", "alias 5", "alias 6", "alias 7", "How are jobs sorted?", "Which first?"}},
		"numbers that aren't there": {[]any{map[string]any{"number": 0, "aliases": bad.Aliases},
			map[string]any{"number": 9, "aliases": bad.Aliases}}, nil},
		"none":         {[]any{}, nil},
		"another form": {"words", nil},
	} {
		m := &scripted{answer: func(r llm.Request) (string, error) {
			if r.Task == "extract" {
				return obey(r)
			}
			data, err := json.Marshal(map[string]any{"notes": tt.notes})
			return string(data), err
		}}
		p := must(t, improver(t, m, newMemory(), nil), session("u: decision! Use a heap for the jobs"), nil)
		if d := cmp.Diff(tt.want, p.Items[0].Aliases); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		want := 1 // an empty list is an answer
		if name == "another form" {
			want = 2
		}
		if n := len(m.of("rephrase")); n != want {
			t.Errorf("%s: asked %d times, want %d", name, n, want)
		}
	}
}
