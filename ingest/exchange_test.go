package ingest_test

import (
	"fmt"
	"strings"
	"testing"

	"recall/ingest"
)

// All that isn't aside is in one exchange; only what asks begins one.
func TestExchanges(t *testing.T) {
	turn := func(role ingest.Role, kind ingest.TurnKind, text string) ingest.Turn {
		return ingest.Turn{Role: role, Kind: kind, Text: text}
	}
	s := &ingest.Session{Turns: []ingest.Turn{
		turn(ingest.Assistant, ingest.Summary, "Before this: the parser."),
		turn(ingest.User, ingest.Prompt, "Split it."),
		turn(ingest.Assistant, ingest.Message, "By type?"),
		{Role: ingest.User, Kind: ingest.Prompt, Text: "By size.", Abandoned: true},
		turn(ingest.User, ingest.Interrupt, "stopped"),
		turn(ingest.User, ingest.Command, ""),
		turn(ingest.User, ingest.Prompt, "By file."),
		turn(ingest.Assistant, ingest.Message, "Done."),
		turn(ingest.Program, ingest.Prompt, "Look at the build."),
		{Role: ingest.User, Kind: ingest.Prompt, Text: "pasted", Foreign: []ingest.Foreign{{From: 0, To: 6, Label: "recall"}}},
	}}
	var got []string
	for _, e := range s.Exchanges() {
		asked := "-"
		if r := e.Turns[0]; r.Opens() {
			asked = r.Text
		}
		got = append(got, fmt.Sprint(e.N, " ", asked, " ", len(e.Turns)))
	}
	const want = "1 - 1|2 Split it. 4|3 By file. 2|4 Look at the build. 2"
	if strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", strings.Join(got, "|"), want)
	}
}
