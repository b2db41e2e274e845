package claudecode

import (
	"strings"
	"testing"
	"time"

	"recall/ingest"
	"recall/ingest/ingesttest"
)

func TestMessagesOverLines(t *testing.T) {
	s := &script{}
	s.user("a")
	s.say("m1", fields{"type": "thinking", "thinking": "hm", "signature": "x"})
	s.say("m1", textBlock("They differ"))
	s.addRecord("progress", fields{})
	s.say("m1", textBlock("They differ: a and b."))
	s.say("m1", use("t1", "Write", fields{"file_path": "/a", "content": ""}))
	s.say("m1", use("t1", "Write", fields{"file_path": "/a", "content": "whole"}))
	s.say("m1", textBlock("Another block."))
	got := s.parse(t)
	if len(got.Turns) != 2 {
		t.Fatalf("got %d turns, want 2", len(got.Turns))
	}
	m := got.Turns[1]
	ingesttest.Equal(t, "text", m.Text, "They differ: a and b.\n\nAnother block.")
	ingesttest.Equal(t, "calls", len(m.Calls), 1)
	ingesttest.Equal(t, "input", m.Calls[0].Input, map[string]string{"file_path": "/a", "content": "whole"})
	ingesttest.Equal(t, "records", m.Records, []string{"u2", "u3", "u5", "u6", "u7", "u8"})
	ingesttest.Equal(t, "id", m.ID, ingest.TurnID("u2"))
	ingesttest.Equal(t, "done", m.Calls[0].Done, false)
}

func TestUsageOfLastLine(t *testing.T) {
	s := &script{}
	for _, n := range []int{3, 9, 120} {
		s.addRecord("assistant", fields{"message": fields{
			"id": "m", "content": []any{textBlock("x")}, "usage": fields{"input_tokens": 10, "output_tokens": n,
				"cache_read_input_tokens": 2, "cache_creation_input_tokens": 1},
		}})
	}
	ingesttest.Equal(t, "usage", s.parse(t).Usage, ingest.Usage{Input: 10, Output: 120, CacheWrite: 1, CacheRead: 2})
}

func TestCalls(t *testing.T) {
	s := &script{}
	s.call("t1", "Bash", fields{"command": "make", "timeout": 5}, "Exit code 2\n\x1b[31mFAIL\x1b[0m app",
		"Error: Exit code 2")
	s.call("t2", "Bash", fields{"command": "sleep 9"}, "", fields{"stdout": "", "interrupted": true})
	s.call("t3", "MultiEdit", fields{"file_path": "/a.go", "edits": []any{fields{"old_string": "a", "new_string": "b"},
		fields{"old_string": "c", "new_string": "d"}}}, "ok", nil)
	s.call("t4", "Edit", fields{"file_path": "/b.go", "old_string": "x", "new_string": "y"}, "ok",
		fields{"originalFile": "z"})
	s.call("t5", "Read", fields{"file_path": "/big"}, strings.Repeat("line of text\n", 2000)+"the end", nil)
	s.say("m-t6", use("t6", "mcp__x__y", "odd input"))
	s.user([]any{fields{"type": "tool_result", "tool_use_id": "t6",
		"content": []any{textBlock("one"), fields{"type": "image", "source": fields{"data": "AAAA"}},
			textBlock("two")}}})
	s.user(result("t7", "before its call", false))
	s.say("m-t7", use("t7", "Bash", fields{"command": "late"}))
	got := s.parse(t)
	c := callsByID(got)
	ingesttest.Equal(t, "failed", []bool{c["t1"].Failed, c["t2"].Failed, c["t3"].Failed}, []bool{true, true, false})
	ingesttest.Equal(t, "colours", c["t1"].Result, "Exit code 2\nFAIL app")
	ingesttest.Equal(t, "input", c["t1"].Input, map[string]string{"command": "make", "timeout": "5"})
	ingesttest.Equal(t, "command", c["t1"].Command, "make")
	ingesttest.Equal(t, "edits", c["t3"].Edits, []ingest.Edit{{Old: "a", New: "b"}, {Old: "c", New: "d"}})
	ingesttest.Equal(t, "edit", c["t4"].Edits, []ingest.Edit{{Old: "x", New: "y"}})
	ingesttest.Equal(t, "path", c["t4"].Path, "/b.go")
	ingesttest.Equal(t, "blocks", c["t6"].Result, "one\n[image]\ntwo")
	ingesttest.Equal(t, "order turned round", c["t7"].Result, "before its call")
	big := c["t5"]
	if !strings.HasPrefix(big.Result, "line of text\n") || !strings.HasSuffix(big.Result, "the end") ||
		len(big.Result) > ingest.ClipResult+100 {
		t.Errorf("big result: got %d bytes %.20q … %q, want beginning and end", len(big.Result), big.Result,
			big.Result[len(big.Result)-20:])
	}
	ingesttest.Equal(t, "its size", big.ResultLen, int64(2000*13+7))
	for _, turn := range got.Turns {
		if turn.Role == ingest.User {
			t.Errorf("got a turn %+v of the person's, want none", turn)
		}
	}
}

func TestCommits(t *testing.T) {
	s := &script{}
	s.call("t1", "Bash", fields{"command": "git add . && git commit -m \"cache: LRU\""},
		"[main 1a2b3c4] cache: LRU\n 1 file changed", nil)
	s.call("t2", "Bash", fields{"command": "git commit -q -m \"$(cat <<'EOF'\nindex: poll\n\nwhy\nEOF\n)\""}, "", nil)
	s.call("t3", "Bash", fields{"command": "git -C /x commit -qam 'it''s'"}, "",
		fields{"gitOperation": fields{"commit": fields{"sha": "752e16ce", "kind": "committed"}}})
	s.call("t4", "Bash", fields{"command": "git commit -m x"}, "Exit code 1\nnothing to commit", nil)
	s.call("t5", "Bash", fields{"command": "git log --grep=commit"}, "[main 1a2b3c4] quoted", nil)
	s.call("t6", "Bash", fields{"command": "gh pr create"}, "https://github.com/ann/app/pull/12",
		fields{"gitOperation": fields{"pr": fields{"number": 12, "url": "https://github.com/ann/app/pull/12",
			"action": "created"}}})
	got := s.parse(t)
	c := callsByID(got)
	for id, wanted := range map[string][2]string{
		"t1": {"1a2b3c4", "cache: LRU"}, "t2": {"", "index: poll"}, "t3": {"752e16ce", "it"}, "t4": {}, "t5": {},
		"t6": {},
	} {
		ingesttest.Equal(t, id, [2]string{c[id].Commit, c[id].CommitMessage}, wanted)
	}
}

func TestTasks(t *testing.T) {
	type task struct{ ID, Subject, Status string }
	tests := []struct {
		name   string
		script func(s *script)
		want   []task
	}{
		{"the last list wins, with a structured result or without", func(s *script) {
			s.call("t1", "TodoWrite", fields{"todos": []any{fields{"content": "a", "status": "pending"},
				fields{"content": "b", "status": "pending"}}}, "ok", nil)
			s.call("t2", "TodoWrite", fields{}, "ok", fields{"oldTodos": []any{},
				"newTodos": []any{fields{"content": "a", "status": "completed"},
					fields{"content": "c", "status": "in_progress"}}})
			s.call("t3", "TodoWrite", fields{"todos": []any{fields{"content": "a", "status": "completed"},
				fields{"content": "d", "status": "in_progress"}}}, "ok", nil)
		}, []task{{"", "a", "completed"}, {"", "d", "in_progress"}}},
		{"created, updated, deleted", func(s *script) {
			s.call("t1", "TaskCreate", fields{"subject": "a"}, "Task #1 created successfully: a", nil)
			s.call("t2", "TaskCreate", fields{"subject": "b"}, "ok", fields{"task": fields{"id": "2", "subject": "b"}})
			s.call("t3", "TaskCreate", fields{"subject": "c"}, "Task #3 created successfully: c", nil)
			s.call("t4", "TaskUpdate", fields{"taskId": 1, "status": "completed"}, "ok", nil)
			s.call("t5", "TaskUpdate", fields{"taskId": "2", "status": "deleted"}, "ok", nil)
			s.call("t6", "TaskUpdate", fields{"taskId": "3", "subject": "c, better"}, "ok", nil)
		}, []task{{"1", "a", "completed"}, {"3", "c, better", "pending"}}},
		{"a failed call changes nothing", func(s *script) {
			s.call("t1", "TaskCreate", fields{"subject": "a"}, "Task #1 created successfully: a", nil)
			s.say("m", use("t2", "TaskUpdate", fields{"taskId": "1", "status": "completed"}))
			s.user(result("t2", "Error: no", true))
		}, []task{{"1", "a", "pending"}}},
		{"todos and tasks", func(s *script) {
			s.call("t1", "TodoWrite", nil, "ok", fields{"newTodos": []any{fields{"content": "a", "status": "completed"},
				fields{"content": "b", "status": "pending"}}})
			s.call("t2", "TaskCreate", fields{"subject": "b"}, "Task #1 created successfully: b", nil)
			s.call("t3", "TaskCreate", fields{"subject": "c"}, "Task #2 created successfully: c", nil)
			s.call("t4", "TodoWrite", nil, "ok", fields{"newTodos": []any{fields{"content": "a", "status": "completed"},
				fields{"content": "b", "status": "pending"}, fields{"content": "d", "status": "pending"}}})
		}, []task{{"", "a", "completed"}, {"", "d", "pending"}, {"1", "b", "pending"}, {"2", "c", "pending"}}},
		{"a prompt's empty todos aren't the tasks", func(s *script) {
			s.user("begin", fields{"todos": []any{}})
			s.call("t1", "TaskCreate", fields{"subject": "a"}, "Task #1 created successfully: a", nil)
			s.user("go on", fields{"todos": []any{}})
		}, []task{{"1", "a", "pending"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &script{}
			tt.script(s)
			var got []task
			for _, k := range s.parse(t).Tasks {
				got = append(got, task{k.ID, k.Subject, k.Status})
			}
			ingesttest.Equal(t, "tasks", got, tt.want)
		})
	}
}

func TestTitles(t *testing.T) {
	var (
		prompt  = func(s *script) { s.user("# Make the tests faster\nplease") }
		ai      = func(s *script) { s.raw(fields{"type": "ai-title", "aiTitle": "Generated", "sessionId": "s"}) }
		agent   = func(s *script) { s.raw(fields{"type": "agent-name", "agentName": "Agent", "sessionId": "s"}) }
		custom  = func(s *script) { s.raw(fields{"type": "custom-title", "customTitle": "wt-1", "sessionId": "s"}) }
		rename  = func(s *script) { s.user("<command-name>/rename</command-name><command-args>Renamed</command-args>") }
		summary = func(s *script) { s.raw(fields{"type": "summary", "summary": "Summed up", "leafUuid": "u1"}) }
		foreign = func(s *script) { s.raw(fields{"type": "summary", "summary": "Another's", "leafUuid": "x9"}) }
		tree    = func(s *script) {
			s.raw(fields{"type": "worktree-state",
				"worktreeSession": fields{"worktreePath": "/w/wt-1", "worktreeName": "wt-1",
					"worktreeBranch": "b", "originalCwd": "/home/ann/app"}, "sessionId": "s"})
		}
	)
	tests := []struct {
		title  string
		script []func(*script)
	}{
		{"wt-1", []func(*script){prompt, custom, rename, ai, agent, summary}},
		{"Renamed", []func(*script){prompt, tree, custom, rename, ai, agent, summary}},
		{"Generated", []func(*script){prompt, ai, agent, summary}},
		{"Agent", []func(*script){prompt, agent, summary}},
		{"Summed up", []func(*script){foreign, prompt, summary, foreign}},
		{"Make the tests faster", []func(*script){prompt, foreign}},
		{"Make the tests faster", []func(*script){
			func(s *script) {
				root := s.addRecord("attachment", fields{"attachment": fields{"type": "date"}})
				s.user("rewound")
				s.last = root
			}, prompt,
		}},
		{"", []func(*script){foreign}},
	}
	for _, tt := range tests {
		s := &script{}
		for _, f := range tt.script {
			f(s)
		}
		got := s.parse(t)
		ingesttest.Equal(t, "title", got.Title, tt.title)
	}
}

func TestPlaces(t *testing.T) {
	s := &script{}
	s.addRecord("attachment", fields{"attachment": fields{"type": "date"}, "cwd": "/home/ann"})
	s.user("a")
	s.say("m1", textBlock("ok"))
	s.user("b", fields{"cwd": "/w/wt-1", "gitBranch": "fix"})
	s.user("c", fields{"cwd": "/w/wt-1", "gitBranch": "HEAD"})
	s.raw(fields{"type": "worktree-state", "worktreeSession": fields{"worktreePath": "/w/wt-1", "worktreeName": "wt-1",
		"worktreeBranch": "b", "originalCwd": "/home/ann/app"}})
	s.raw(fields{"type": "worktree-state", "worktreeSession": nil})
	s.raw(fields{"type": "relocated", "relocatedCwd": "/new"})
	w := s.parse(t).Where
	ingesttest.Equal(t, "directories", w.Cwds, []ingest.CwdCount{{Dir: "/home/ann"}, {Dir: "/home/ann/app", Turns: 2},
		{Dir: "/w/wt-1", Turns: 2}})
	ingesttest.Equal(t, "branch", w.Branch, "fix")
	ingesttest.Equal(t, "worktree", w.Worktree, &ingest.Worktree{Path: "/w/wt-1", Original: "/home/ann/app"})
	ingesttest.Equal(t, "relocated", w.Relocated, "/new")
}

func TestLineageOfLines(t *testing.T) {
	on := fields{"type": "continued-in", "sessionId": "s", "continuedInSessionId": "next"}
	s := &script{}
	s.user("a")
	s.raw(on)
	ingesttest.Equal(t, "continued", s.parse(t).ContinuedIn, ingest.SessionID("next"))
	s.user("but I stayed")
	ingesttest.Equal(t, "void", s.parse(t).ContinuedIn, ingest.SessionID(""))

	s = &script{}
	s.raw(fields{"type": "branched-from", "sessionId": "s", "sourceSessionId": "p",
		"branchedAt": "2026-03-02T10:00:00Z"})
	s.user("a")
	got := s.parse(t)
	ingesttest.Equal(t, "branched", got.Parent, &ingest.Parent{Session: "p", How: "branch"})
	ingesttest.Equal(t, "born", got.Born, time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC))

	s = &script{}
	s.user("a", fields{"sessionId": "old"})
	s.user("b")
	got = s.parse(t)
	ingesttest.Equal(t, "resumed", got.Parent, &ingest.Parent{Session: "old", How: "continued"})
	ingesttest.Equal(t, "aliases", got.Aliases, []ingest.SessionID{"old"})
	ingesttest.Equal(t, "both stay", len(got.Turns), 2)
}

// callsByID returns a session's calls by id.
func callsByID(s *ingest.Session) map[string]*ingest.ToolCall {
	out := map[string]*ingest.ToolCall{}
	for _, c := range ingest.EachCall(s.Turns) {
		out[c.ID] = c
	}
	return out
}
