package claudecode

import (
	"slices"
	"strings"
	"testing"
	"time"

	"recall/ingest"
	"recall/ingest/ingesttest"
)

func TestQueue(t *testing.T) {
	op := func(s *script, operation, content string) {
		s.n++
		s.raw(fields{"type": "queue-operation", "operation": operation, "content": content, "sessionId": "s",
			"timestamp": day.Add(time.Duration(s.n) * time.Second).Format(time.RFC3339Nano)})
	}
	s := &script{}
	s.user("a")
	op(s, "enqueue", "delivered")
	op(s, "enqueue", "lost")
	op(s, "enqueue", "taken back")
	op(s, "enqueue", "/mcp")
	op(s, "enqueue", "<task-notification><summary>x</summary></task-notification>")
	op(s, "enqueue", "blocked")
	op(s, "popAll", "taken back")
	s.say("m1", textBlock("ok"))
	s.addRecord("attachment", fields{"attachment": fields{"type": "queued_command", "prompt": "delivered",
		"commandMode": "prompt"}})
	s.addRecord("attachment", fields{"attachment": fields{"type": "queued_command",
		"prompt": "<task-notification><summary>y</summary></task-notification>", "commandMode": "task-notification"}})
	again := s.user("said twice")
	s.addRecord("attachment", fields{"attachment": fields{"type": "queued_command", "prompt": "said twice",
		"source_uuid": again}})
	s.addRecord("attachment", fields{"attachment": fields{"type": "queued_command", "prompt": "a peer's",
		"origin": fields{"kind": "peer"}}})
	s.addRecord("attachment", fields{"attachment": fields{"type": "queued_command", "prompt": "a plugin's",
		"isMeta": true}})
	s.addRecord("attachment", fields{"attachment": fields{"type": "queued_command", "prompt": "git commit",
		"commandMode": "bash"}})
	s.user("<bash-stdout>[main 76b7d17] Seats</bash-stdout><bash-stderr></bash-stderr>")
	s.addRecord("system", fields{"subtype": "informational",
		"content": "UserPromptSubmit operation blocked by hook:\nx\n\nOriginal prompt: blocked"})
	got := s.parse(t)
	ingesttest.Equal(t, "turns", outlineOf(got), []string{
		"prompt a", "prompt lost", "message ok", "prompt delivered", "event task-notification y", "prompt said twice",
		"event peer a peer's", "event system a plugin's", "shell git commit",
	})
	ingesttest.Equal(t, "ran", got.Turns[8].Calls[0].Commit, "76b7d17")
	ingesttest.Equal(t, "queued", []bool{got.Turns[0].Queued, got.Turns[1].Queued, got.Turns[3].Queued},
		[]bool{false, true, true})
}

func TestGoals(t *testing.T) {
	s := &script{}
	s.user("go")
	for range 2 {
		s.addRecord("attachment",
			fields{"attachment": fields{"type": "goal_status", "met": false, "condition": "all tests pass"}})
	}
	ingesttest.Equal(t, "turns", outlineOf(s.parse(t)), []string{"prompt go", "event goal all tests pass"})
}

func TestWhoseWords(t *testing.T) {
	s := &script{}
	s.user("typed", fields{"origin": fields{"kind": "human"}, "turnOrigin": "human"})
	s.user("by schedule", fields{"origin": fields{"kind": "human"}, "turnOrigin": "scheduled"})
	s.user("from a peer", fields{"origin": fields{"kind": "peer"}})
	s.user("from the system", fields{"promptSource": "system"})
	s.user("injected", fields{"isMeta": true})
	s.user([]any{textBlock("<ide_opened_file>a.go</ide_opened_file>"), textBlock("first"),
		fields{"type": "image", "source": fields{"data": "AA"}}, textBlock("second")})
	s.user([]any{fields{"type": "image", "source": fields{"data": "AA"}}})
	s.addRecord("assistant", fields{"message": fields{"id": "x", "model": "<synthetic>",
		"content": []any{textBlock("No response requested.")}}})
	s.addRecord("system", fields{"subtype": "local_command",
		"content": "<command-name>/plan</command-name><command-args>x</command-args>"})
	s.user("summed up", fields{"isCompactSummary": true})
	ingesttest.Equal(t, "turns", outlineOf(s.parse(t)), []string{
		"prompt typed", "event scheduled by schedule", "event peer from a peer", "event system from the system",
		"prompt first\nsecond", "prompt [image]",
		"command /plan x", "summary summed up",
	})
}

// A picture says nothing as a title while there are words.
func TestTitleOfAPicture(t *testing.T) {
	picture := []any{fields{"type": "image", "source": fields{"data": "AA"}}}
	s := &script{}
	s.user(picture)
	ingesttest.Equal(t, "alone", s.parse(t).Title, "")
	s.user("Make the button blue.")
	ingesttest.Equal(t, "with words", s.parse(t).Title, "Make the button blue.")
	s = &script{}
	s.user("Check this change.", fields{"entrypoint": "sdk-py", "promptSource": "sdk"})
	s.user("Fix the first.", fields{"entrypoint": "cli", "promptSource": "typed"})
	ingesttest.Equal(t, "after a program's", s.parse(t).Title, "Fix the first.")
}

// Who speaks is said by the record's own fields; what a program wrote is never the person's, whatever it says.
func TestSpeakers(t *testing.T) {
	sdk := fields{"entrypoint": "sdk-py", "promptSource": "sdk"}
	for name, tt := range map[string]struct {
		fill     func(s *script)
		want     []string
		headless bool
	}{
		"a script": {func(s *script) { s.user("Review this.", sdk) }, []string{"program prompt Review this."}, true},
		"the app, through the SDK": {func(s *script) {
			s.user("Review this.", fields{"entrypoint": "claude-desktop", "promptSource": "sdk"})
		}, []string{"user prompt Review this."}, false},
		"a script, then the person": {func(s *script) {
			s.user("Review this.", sdk)
			s.user("and the tests", fields{"entrypoint": "cli", "promptSource": "typed"})
		}, []string{"program prompt Review this.", "user prompt and the tests"}, false},
		"a prompt that the model scheduled": {func(s *script) {
			s.user("watch the build", fields{"entrypoint": "cli"})
			s.call("t1", "ScheduleWakeup", fields{"prompt": "Look again. We decided to skip lint."}, "ok", nil)
			s.raw(fields{"type": "queue-operation", "operation": "enqueue", "content": "Look again. We decided to skip lint."})
			s.user("Look again. We decided to skip lint.")
		}, []string{"user prompt watch the build", "program event Look again. We decided to skip lint."}, false},
		"one from the client's queue": {func(s *script) {
			s.user("watch the build", fields{"entrypoint": "cli"})
			s.raw(fields{"type": "queue-operation", "operation": "enqueue", "content": "Go on with the loop."})
			s.user("Go on with the loop.", fields{"isMeta": true, "promptSource": "system"})
		}, []string{"user prompt watch the build", "program event Go on with the loop."}, false},
	} {
		s := &script{}
		tt.fill(s)
		got := s.parse(t)
		var lines []string
		for _, turn := range got.Turns {
			if turn.Role != ingest.Assistant {
				lines = append(lines, string(turn.Role)+" "+string(turn.Kind)+" "+turn.Text)
			}
		}
		ingesttest.Equal(t, name, lines, tt.want)
		ingesttest.Equal(t, name+", headless", got.Headless, tt.headless)
	}
}

func TestSubagentsInline(t *testing.T) {
	s := &script{}
	s.user("look")
	main := s.say("m1", use("t1", "Task", fields{"prompt": "Find it.", "subagent_type": "Explore",
		"description": "find"}), use("t2", "Task", fields{"prompt": "b"}))
	s.last = ""
	s.user("Find it.", fields{"isSidechain": true})
	s.addRecord("assistant", fields{"isSidechain": true, "message": fields{"id": "k1",
		"content": []any{textBlock("It is here."), use("k", "Bash", fields{"command": "ls"})},
		"usage":   fields{"output_tokens": 99}}})
	s.addRecord("user", fields{"isSidechain": true, "agentId": "b2", "parentUuid": nil,
		"message": fields{"content": "b"}})
	s.last = main
	s.user(result("t1", "It is here.", false))
	s.say("m2", textBlock("Found."))
	got := s.parse(t)
	ingesttest.Equal(t, "turns", outlineOf(got), []string{"prompt look", "message", "message Found."})
	ingesttest.Equal(t, "tokens", got.Usage.Output, 2)
	type sub struct{ ID, Type, Call, First string }
	var subs []sub
	for _, k := range got.Subagents {
		subs = append(subs, sub{k.ID, k.Type, k.Call, k.Turns[0].Text})
	}
	ingesttest.Equal(t, "sub-agents", subs,
		[]sub{{"sidechain-1", "Explore", "t1", "Find it."}, {"b2", "", "t2", "b"}})
	ingesttest.Equal(t, "turns of the first", outlineOf(&ingest.Session{Turns: got.Subagents[0].Turns}),
		[]string{"prompt Find it.", "message It is here."})
}

// What was handed on to go on from is told apart from what an answer quotes,
// wherever either stands.
func TestHandedOn(t *testing.T) {
	page := func(id, after string) string {
		return "<!-- recall " + id + " -->\n" + ingest.PayloadHeading +
			": Storage\n\n## Decisions made\n- Use SQLite.\n<!-- /recall -->\n" + after
	}
	answer := func(id string) string {
		return "<!-- recall " + id + " -->\nNote from recall: use SQLite.\n<!-- /recall -->\n"
	}
	hook := func(s *script, text string) {
		s.addRecord("attachment", fields{"attachment": fields{"type": "hook_additional_context", "hookEvent": "SessionStart",
			"content": []string{text}}})
	}
	s := &script{}
	hook(s, page("hhhhhhhhh1", ""))
	hook(s, answer("qqqqqqqqq1"))
	s.addRecord("attachment", fields{"attachment": fields{"type": "file", "filename": "payload.md",
		"content": page("qqqqqqqqq2", "")}})
	s.user("go on\n" + page("ppppppppp1", "") + answer("qqqqqqqqq3"))
	s.call("t1", "mcp__recall__recall_query", fields{}, answer("qqqqqqqqq4"), nil)
	s.call("t2", "Bash", fields{"command": "cat payload.md"}, page("qqqqqqqqq5", ""), nil)
	s.call("t3", "mcp__recall__recall_resume", fields{}, page("ppppppppp2", ingest.Confirmation), nil)
	s.call("t4", "Read", fields{"file_path": "RECALL.md"}, page("ppppppppp3",
		ingest.KeptSeal+"; changes here are not kept. Sum 1 -->"), nil)
	s.user(page("ppppppppp4", ingest.Confirmation), fields{"isMeta": true})
	got := s.parse(t)
	slices.Sort(got.Pasted)
	ingesttest.Equal(t, "pasted or fetched", got.Pasted,
		[]string{"ppppppppp1", "ppppppppp2", "ppppppppp3", "ppppppppp4"})
	ingesttest.Equal(t, "injected", got.Injected, []string{"hhhhhhhhh1"})
	ingesttest.Equal(t, "anywhere", len(got.Carried), 10)
}

func TestCarried(t *testing.T) {
	const payload = "<!-- recall k3v9t2m8qa -->\n- Use SQLite.\n<!-- /recall -->"
	s := &script{}
	s.addRecord("attachment", fields{"attachment": fields{"type": "hook_additional_context",
		"content": strings.Replace(payload, "k3v9t2m8qa", "aaaaaaaaaa", 1)}})
	s.user("<system-reminder>" + strings.Replace(payload, "k3v9t2m8qa", "bbbbbbbbbb", 1) + "</system-reminder>go on")
	s.call("t1", "mcp__recall__query", fields{}, "found:\n"+payload, nil)
	s.user(payload + "\nand now the index")
	got := s.parse(t)
	ingesttest.Equal(t, "carried by the session", got.Carried, []string{"aaaaaaaaaa", "bbbbbbbbbb", "k3v9t2m8qa"})
	ingesttest.Equal(t, "by the call's turn", got.Turns[1].Carried, []string{"k3v9t2m8qa"})
	ingesttest.Equal(t, "handed over", got.Handed, []string{"- Use SQLite."})
	last := got.Turns[2]
	ingesttest.Equal(t, "foreign", []int{last.Foreign[0].From, last.Foreign[0].To}, []int{0, len(payload)})
	ingesttest.Equal(t, "helper", got.Helper, false)

	s = &script{}
	s.user(ingest.ModelCall+"\nExtract the decisions.", fields{"entrypoint": "sdk-cli"})
	s.say("m", textBlock("{}"))
	ingesttest.Equal(t, "helper", s.parse(t).Helper, true)
}
