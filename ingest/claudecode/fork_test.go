package claudecode

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"recall/ingest"
	"recall/ingest/ingesttest"
)

// copied makes what a fork's file begins with out of a script: its first n
// lines, each changed by alter.
func copied(s *script, n int, alter func(i int, line fields)) *script {
	f := &script{n: s.n + 100}
	for i, raw := range s.lines[:n] {
		line := fields{}
		if err := json.Unmarshal([]byte(raw), &line); err != nil {
			panic(err)
		}
		alter(i, line)
		f.raw(line)
		f.last = fmt.Sprint(line["uuid"])
	}
	return f
}

func (s *script) as(t *testing.T, id ingest.SessionID) *ingest.Session {
	t.Helper()
	f := ingest.Found{ID: id, Files: []ingest.File{ingesttest.File(ingest.MainName, ingest.Transcript,
		[]byte(strings.Join(s.lines, "\n")+"\n"))}}
	got, err := Reader{}.Parse(context.Background(), f)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestCopies goes through the ways in which a client copies the beginning of a
// session into another file, with the original going on afterwards.
func TestCopies(t *testing.T) {
	tests := []struct {
		name  string
		alter func(i int, line fields)
		begin func(f *script) // what the fork's file has besides
		how   string
	}{
		{"--fork-session: nothing marks it but its own first lines", func(int, fields) {}, func(f *script) {
			f.lines = append([]string{`{"type":"queue-operation","operation":"enqueue","content":"in the ` +
				`fork","sessionId":"F","timestamp":"2026-03-02T09:30:00Z"}`}, f.lines...)
		}, "fork"},
		{"/branch", func(i int, line fields) {
			line["forkedFrom"] = fields{"sessionId": "P", "messageUuid": line["uuid"]}
			line["uuid"] = fmt.Sprintf("f%d", i)
		}, nil, "branch"},
		{"in the background", func(i int, line fields) { line["sessionKind"] = "bg" }, nil, "background"},
		{"the SDK's, with new uuids", func(i int, line fields) {
			line["uuid"], line["parentUuid"] = fmt.Sprintf("f%d", i),
				nil
		}, func(f *script) {
			f.raw(fields{"type": "custom-title", "customTitle": "Cache (fork)", "sessionId": "F"})
		}, "fork"},
		{"branched-from", func(int, fields) {}, func(f *script) {
			f.raw(fields{"type": "branched-from", "sourceSessionId": "P", "sessionId": "F"})
		}, "branch"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := &script{}
			p.user("a")
			p.say("m1", textBlock("ok"), use("t1", "Bash", fields{"command": "ls"}))
			p.user(result("t1", "x", false))
			p.say("m2", textBlock("done"))
			f := copied(p, 4, tt.alter)
			if tt.begin != nil {
				tt.begin(f)
			}
			f.user("in the fork")
			p.n += 500 // the original goes on later than the fork
			p.user("in the original")
			for _, order := range [][]int{{0, 1}, {1, 0}} {
				all := []*ingest.Session{p.as(t, "P"), f.as(t, "F")}
				ingest.Own([]*ingest.Session{all[order[0]], all[order[1]]})
				ingesttest.Equal(t, "parent", all[1].Parent, &ingest.Parent{Session: "P", How: tt.how, Turns: 3})
				ingesttest.Equal(t, "the original's parent", all[0].Parent, nil)
				ingesttest.Equal(t, "tokens", []int64{all[0].Usage.Output, all[1].Usage.Output}, []int64{2, 0})
				for _, turn := range all[0].Turns {
					ingesttest.Equal(t, "copied in the original: "+turn.Text, turn.Copied, false)
				}
				for _, turn := range all[1].Turns {
					ingesttest.Equal(t, "copied in the fork: "+turn.Text, turn.Copied, turn.Text != "in the fork")
				}
			}
		})
	}
}

func TestContinuedCopy(t *testing.T) {
	p := &script{}
	p.user("a")
	p.say("m1", textBlock("ok"))
	f := copied(p, 2, func(i int, line fields) { line["sessionId"] = "F" })
	f.user("b")
	p.raw(fields{"type": "continued-in", "sessionId": "P", "continuedInSessionId": "F"})
	all := []*ingest.Session{f.as(t, "F"), p.as(t, "P")}
	ingest.Own(all)
	ingesttest.Equal(t, "parent", all[0].Parent, &ingest.Parent{Session: "P", How: "continued", Turns: 2})
}

func TestHeadsOfAFamilyMeet(t *testing.T) {
	p := &script{}
	p.user("a")
	p.say("m1", textBlock("ok"))
	alterations := map[string]func(int, fields){
		"same uuids": func(int, fields) {},
		"new uuids":  func(i int, line fields) { line["uuid"] = fmt.Sprintf("f%d", i) },
		"forkedFrom": func(i int, line fields) {
			line["forkedFrom"], line["uuid"] = fields{"sessionId": "P", "messageUuid": line["uuid"]},
				fmt.Sprintf("f%d", i)
		},
	}
	head := func(s *script) map[string]bool {
		f := ingest.Found{ID: "x", Files: []ingest.File{ingesttest.File(ingest.MainName, ingest.Transcript,
			[]byte(strings.Join(s.lines, "\n")))}}
		h, err := ingest.HeadOf(context.Background(), Reader{}, f)
		if err != nil {
			t.Fatal(err)
		}
		keys := map[string]bool{}
		for _, k := range h.Keys {
			keys[k] = true
		}
		return keys
	}
	for name, alter := range alterations {
		shared := 0
		mine := head(p)
		for k := range head(copied(p, 2, alter)) {
			if mine[k] {
				shared++
			}
		}
		if shared == 0 {
			t.Errorf("%s: got no key in common", name)
		}
	}
}
