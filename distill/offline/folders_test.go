package offline

import (
	"strings"
	"testing"

	"recall/ingest"
)

// What is left out is looked for in work on folders alone: no model was taught to weigh it.
func TestLeftOutIsNoFeature(t *testing.T) {
	const text = "The photo was skipped."
	if !cuesIn(text).has(cueSkip) {
		t.Fatal("not seen to be left out")
	}
	s := &ingest.Session{Turns: []ingest.Turn{{ID: "u", N: 1, Role: ingest.User, Kind: ingest.Prompt, Text: text}}}
	all := candidates(listen(s))
	if len(all) == 0 {
		t.Fatal("no candidate")
	}
	for _, c := range all {
		for _, f := range c.Features() {
			if strings.HasSuffix(f.Name, ":skip") {
				t.Errorf("%q is a feature", f.Name)
			}
		}
		if c.part.cues.has(cueSkip) {
			t.Error("a sentence shows it")
		}
	}
}
