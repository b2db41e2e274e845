package index

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What only asks isn't looked for; what is asked about is, though it be the
// same word.
func TestWithoutFrame(t *testing.T) {
	for text, want := range map[string][]string{
		"what did we say about retries?":                {"retries"},
		"how many retries do we have":                   {"retries"},
		"why do we use a min heap":                      {"min", "heap"},
		"did anyone ever mention jitter":                {"jitter"},
		"what was agreed on backoff":                    {"backoff"},
		"what did we rule out for the build":            {"build"},
		"what did we say the ask dialog should say":     {"say", "ask", "dialog"},
		"what do we use":                                {"use"}, // nothing else is there
		"open questions about the beta":                 {"beta"},
		"any decisions about next steps on backoff":     {"backoff"},
		"where are the retries implemented?":            {"retries"},
		"which files have the retries?":                 {"retries"},
		"the use of retries":                            {"use", "retries"},
		"do we take stripe?":                            {"stripe"},
		"who can take the keys":                         {"take", "keys"},
		"is hysteresis still used?":                     {"hysteresis"},
		"did we stop using hysteresis":                  {"hysteresis"},
		"we dont use hysteresis anymore, right?":        {"use", "hysteresis"},
		"everything about dunning":                      {"dunning"},
		"everything eats memory":                        {"everything", "eats", "memory"},
		"was haben wir zur mandatsreferenz beschlossen": {"mandatsreferenz"},
		"warum kein postgres":                           {"postgres"},
		"wann":                                          {"wann"},
		"por qué no usamos postgres en la cola":         {"postgres", "cola"},
		"où est la file avec postgres":                  {"file", "postgres"},
		"postgres per file":                             {"postgres", "per", "file"},
		"did we decide against balena":                  {"balena"},
		"what speaks against balena":                    {"balena"},
		"is balena against the rules":                   {"balena", "against", "rules"},
	} {
		var got []string
		for _, x := range dropFraming(text, terms(text)) {
			got = append(got, x.word)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}
