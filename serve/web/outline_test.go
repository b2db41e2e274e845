package web

import (
	"fmt"
	"strings"
	"testing"

	"recall/ingest"
	"recall/payload"
)

func TestOutline(t *testing.T) {
	turn := func(n int, role ingest.Role, said string, calls ...ingest.ToolCall) ingest.Turn {
		kind := ingest.Prompt
		if role == ingest.Assistant {
			kind = ingest.Message
		}
		return ingest.Turn{ID: ingest.TurnID(fmt.Sprint("t", n)), N: n, Role: role, Kind: kind, Text: said, Calls: calls}
	}
	turns := []ingest.Turn{
		turn(1, ingest.User, "make the retry wait longer"),
		turn(2, ingest.Assistant, "Done.", ingest.ToolCall{Edits: []ingest.Edit{{Old: "a", New: "b"}}, Done: true}),
		turn(3, ingest.User, "ten minutes at most"),
		turn(4, ingest.Assistant, "Committed.", ingest.ToolCall{Command: "go test ./...", Done: true, Failed: true},
			ingest.ToolCall{Commit: "e81b52c", CommitMessage: "retry: cap at ten minutes\n\nThe gateway bans us otherwise."}),
	}
	p := &payload.Payload{Items: []payload.Item{{Kind: payload.Decision, State: payload.Stands,
		Text: "Retries wait ten minutes at most", Evidence: []payload.Evidence{{Turn: "t3"}}}}}
	var got []string
	for _, o := range outlineOf(turns, p) {
		got = append(got, fmt.Sprint("t", o.Place, " ", o.Class+" ", o.Text))
	}
	want := "t1 prompt make the retry wait longer|t3 prompt ten minutes at most|" +
		"t3 stands Retries wait ten minutes at most|t4 commit retry: cap at ten minutes|t4 failed go test ./..."
	if strings.Join(got, "|") != want {
		t.Errorf("the outline is %q, want %q", got, want)
	}
	var strip []string
	bars, _ := stripOf(turns)
	for _, s := range bars {
		strip = append(strip, s.Class)
	}
	if fmt.Sprint(strip) != "[prompt edited prompt failed]" {
		t.Errorf("the strip is %v", strip)
	}
	many := make([]ingest.Turn, 1500)
	many[20] = turns[3]
	bars, each := stripOf(many)
	if n := len(bars); n > mostStretches || n < mostStretches/2 || each*n < 1500 || bars[20/each].Place != 21 {
		t.Errorf("1,500 turns are %d bars of %d; that of the failure leads to turn %d", n, each, bars[20/each].Place)
	}
}
