package model

import (
	"fmt"
	"strings"
	"testing"

	"recall/ingest"
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

// A session that grew is asked about from where it ended, whatever other sessions
// were asked about meanwhile.
func TestGrowthBesideOthers(t *testing.T) {
	m := &scripted{}
	im := improver(t, m, newMemory(), func(o *Options) { o.Window = 6000 })
	a, b := long(), long()
	b.ID = "s2"
	b.Turns[0].Text = "goal! Another one"
	for _, s := range []*ingest.Session{a, b} {
		if _, err := im.Improve(t.Context(), s, nil); err != nil {
			t.Fatal(err)
		}
	}
	m.forget()
	for i, what := range []string{"The log goes to a file of its own", "Retries stop after five",
		"Metrics are sampled hourly"} {
		say(a, "u: decision! "+what+". "+filler(i+40, 100))
	}
	p, err := im.Improve(t.Context(), a, nil)
	if err != nil || len(p.Items) != 17 {
		t.Fatalf("got %d items (%v), want the 14 of before and 3", len(p.Items), err)
	}
	asked := m.of("extract")
	if len(asked) == 1 {
		if _, shown, ok := strings.Cut(asked[0].Prompt, "\n<transcript>\n"); !ok ||
			strings.Contains(shown, "Choice number 3") {
			t.Errorf("it was shown what it has seen: %s", shown)
		}
	} else {
		t.Errorf("got %d requests, want one about what is new", len(asked))
	}
}
