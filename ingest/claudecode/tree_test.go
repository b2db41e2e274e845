package claudecode

import (
	"testing"

	"recall/ingest/ingesttest"
)

func TestBranches(t *testing.T) {
	tests := []struct {
		name   string
		script func(s *script)
		want   []string
	}{
		{"rewound twice", func(s *script) {
			a := s.user("a")
			r := s.say("m1", textBlock("ok"))
			s.user("b1")
			s.say("m2", textBlock("no good"))
			s.last = r
			s.user("b2")
			s.last = a
			s.user("c")
			s.say("m3", textBlock("fine"))
		},
			[]string{"prompt a", "message ok", "[prompt b1]", "[message no good]", "[prompt b2]", "prompt c",
				"message fine"}},
		{"the client names the tip", func(s *script) {
			s.user("a")
			r := s.say("m1", textBlock("ok"))
			b := s.user("b")
			s.last = r
			s.user("c")
			s.raw(fields{"type": "last-prompt", "leafUuid": b, "sessionId": "s"})
		}, []string{"prompt a", "message ok", "prompt b", "[prompt c]"}},
		{"more was said since the client named the tip", func(s *script) {
			s.user("a")
			r := s.say("m1", textBlock("ok"))
			b := s.user("b")
			s.raw(fields{"type": "last-prompt", "leafUuid": b, "sessionId": "s"})
			s.last = r
			s.user("c")
		}, []string{"prompt a", "message ok", "[prompt b]", "prompt c"}},
		{"parallel calls are no branch", func(s *script) {
			s.user("a")
			c1 := s.say("m1", use("t1", "Read", fields{}))
			c2 := s.say("m1", use("t2", "Read", fields{}))
			s.last = c1
			s.user(result("t1", "one", false))
			s.last = c2
			s.user(result("t2", "two", false))
			s.say("m2", textBlock("both"))
			s.user("b")
		}, []string{"prompt a", "message", "message both", "prompt b"}},
		{"a late answer beside the next prompt is no branch", func(s *script) {
			s.user("a")
			r := s.say("m1", textBlock("ok"))
			s.user("b")
			s.last = r
			s.say("m2", textBlock("late"))
			s.last = "u3"
			s.say("m3", textBlock("to b"))
		}, []string{"prompt a", "message ok", "prompt b", "message late", "message to b"}},
		{"progress in the chain", func(s *script) {
			s.user("a")
			s.addRecord("progress", fields{"data": fields{"type": "hook_progress"}})
			s.addRecord("attachment", fields{"attachment": fields{"type": "skill_listing"}})
			s.say("m1", textBlock("ok"))
			s.user("b")
		}, []string{"prompt a", "message ok", "prompt b"}},
		{"chains broken all over: the file's order counts", func(s *script) {
			for _, text := range []string{"a", "b", "c", "d", "e", "f"} {
				s.last = "gone-" + text
				s.user(text)
			}
		}, []string{"prompt a", "prompt b", "prompt c", "prompt d", "prompt e", "prompt f"}},
		{"several roots", func(s *script) {
			s.user("a")
			s.last = ""
			s.user("b")
			s.last = ""
			s.user("c")
		}, []string{"prompt a", "prompt b", "prompt c"}},
		{"a boundary without its logical parent", func(s *script) {
			s.user("a")
			s.addRecord("system", fields{"subtype": "compact_boundary", "parentUuid": nil, "logicalParentUuid": "elsewhere"})
			s.user("b")
		}, []string{"prompt a", "prompt b"}},
		{"superseded after a refusal", func(s *script) {
			s.user("a")
			void := s.say("m1", textBlock("half of it"))
			s.addRecord("assistant", fields{"supersedes": []string{void}, "message": fields{"id": "m2",
				"content": []any{textBlock("whole")}}})
		}, []string{"prompt a", "[message half of it]", "message whole"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &script{}
			tt.script(s)
			ingesttest.Equal(t, "turns", outlineOf(s.parse(t)), tt.want)
		})
	}
}

func TestHistoryWrittenAgain(t *testing.T) {
	s := &script{}
	s.user("a", fields{"timestamp": "2026-03-02T09:00:00.000Z"})
	s.say("m1", textBlock("ok"), use("t1", "Bash", fields{"command": "ls"}))
	s.user(result("t1", "x", false))
	s.user("a", fields{"timestamp": "2026-03-02T09:00:00.000Z"})
	s.say("m1", textBlock("ok"), use("t1", "Bash", fields{"command": "ls"}))
	s.user(result("t1", "x", false))
	s.user("b")
	got := s.parse(t)
	ingesttest.Equal(t, "turns", outlineOf(got), []string{"prompt a", "message ok", "prompt b"})
	ingesttest.Equal(t, "calls", len(got.Turns[1].Calls), 1)
	ingesttest.Equal(t, "tokens", got.Usage.Output, 1)
}

// Summarizing from a prompt on, or up to one, leaves what was said in the conversation.
func TestSummarizedPart(t *testing.T) {
	for _, direction := range []string{"from", "up_to"} {
		s := &script{}
		s.user("a")
		s.say("m1", textBlock("one"))
		first := s.last
		s.user("b")
		s.say("m2", textBlock("two"))
		s.addRecord("system", fields{"subtype": "compact_boundary", "parentUuid": nil, "logicalParentUuid": first})
		s.user("This session is being continued from a previous conversation\n<system-reminder>x</system-reminder>All.",
			fields{"isCompactSummary": true, "summarizeMetadata": fields{"direction": direction}})
		s.user("c")
		s.say("m3", textBlock("three"))
		ingesttest.Equal(t, direction, outlineOf(s.parse(t)), []string{"prompt a", "message one", "prompt b", "message two",
			"summary This session is being continued from a previous conversation\nAll.", "prompt c", "message three"})
	}
}
