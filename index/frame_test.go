package index

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/payload"
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

// A word that stands nowhere is read as the one that a slip of the fingers made
// it of, and the answer says so.
func TestSlipOfTheFingers(t *testing.T) {
	item := Item{Item: payload.Item{ID: "telemetry", Kind: payload.Decision, Text: "Telemetry is off by default",
		State: payload.Stands, At: day}}
	x := openWith(t, Doc{Session: "s", Project: "billing", Title: "s", Source: "claude-code", Start: day,
		End: day.Add(time.Hour), Items: []Item{item}})
	for q, want := range map[string][]Correction{
		"telemtry":       {{"telemtry", "telemetry"}},
		"telemerty":      {{"telemerty", "telemetry"}},
		"telemettry off": {{"telemettry", "telemetry"}},
		"telemetry":      nil,
		"teleport":       nil, // another word
		"defalt":         {{"defalt", "default"}},
		"defer":          nil, // too short to tell
	} {
		a := search(t, x, Query{Text: q})
		if diff := cmp.Diff(want, a.Corrected); diff != "" {
			t.Errorf("%q (-want +got):\n%s", q, diff)
		}
		if found := len(a.Items()) > 0 && !a.Unknown; found != (want != nil || q == "telemetry") {
			t.Errorf("%q: found it: %v, unknown: %v", q, found, a.Unknown)
		}
	}
}

func TestOneSlip(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{{"abcd", "abcd", false}, {"abcd", "abd", true}, {"abd", "abcd", true}, {"abcd", "abxd", true},
		{"abcd", "acbd", true}, {"abcd", "abdc", true}, {"abcd", "badc", false}, {"abcd", "ab", false}, {"a", "", true}} {
		if got := oneTypo(c.a, c.b); got != c.want {
			t.Errorf("oneSlip(%q, %q) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
