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
		turn(4, ingest.Assistant, "Committed.", ingest.ToolCall{Done: true, Failed: true},
			ingest.ToolCall{Commit: "e81b52c", CommitMessage: "retry: cap at ten minutes\n\nThe gateway bans us otherwise."}),
	}
	p := &payload.Payload{Items: []payload.Item{{Kind: payload.Decision, State: payload.Stands,
		Text: "Retries wait ten minutes at most", Evidence: []payload.Evidence{{Turn: "t3"}}}}}
	var got []string
	for _, o := range outlineOf(turns, p) {
		got = append(got, o.Turn+" "+o.Class+" "+o.Text)
	}
	want := "t1 prompt make the retry wait longer|t3 prompt ten minutes at most|" +
		"t3 stands Retries wait ten minutes at most|t4 commit retry: cap at ten minutes"
	if strings.Join(got, "|") != want {
		t.Errorf("the outline is %q, want %q", got, want)
	}
	var strip []string
	for _, s := range stripOf(turns) {
		strip = append(strip, s.Class)
	}
	if fmt.Sprint(strip) != "[prompt edited prompt failed]" {
		t.Errorf("the strip is %v", strip)
	}
	if n := len(stripOf(make([]ingest.Turn, 1500))); n > mostStretches || n < mostStretches/2 {
		t.Errorf("1,500 turns are %d bars", n)
	}
}
