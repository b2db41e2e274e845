package claudecode

import (
	"strings"
	"testing"
	"time"

	"recall/ingest"
)

func TestMessagesOverLines(t *testing.T) {
	s := &script{}
	s.user("a")
	s.say("m1", fields{"type": "thinking", "thinking": "hm", "signature": "x"})
	s.say("m1", text("They differ"))
	s.line("progress", fields{})
	s.say("m1", text("They differ: a and b."))
	s.say("m1", use("t1", "Write", fields{"file_path": "/a", "content": ""}))
	s.say("m1", use("t1", "Write", fields{"file_path": "/a", "content": "whole"}))
	s.say("m1", text("Another block."))
	got := s.parse(t)
	if len(got.Turns) != 2 {
		t.Fatalf("got %d turns, want 2", len(got.Turns))
	}
	m := got.Turns[1]
	want(t, "text", m.Text, "They differ: a and b.\n\nAnother block.")
	want(t, "thinking", m.Thinking, "hm")
	want(t, "calls", len(m.Calls), 1)
	want(t, "input", m.Calls[0].Input, map[string]string{"file_path": "/a", "content": "whole"})
	want(t, "records", m.Records, []string{"u2", "u3", "u5", "u6", "u7", "u8"})
	want(t, "id", m.ID, ingest.TurnID("u2"))
	want(t, "done", m.Calls[0].Done, false)
}

func TestUsageOfLastLine(t *testing.T) {
	s := &script{}
	for _, n := range []int{3, 9, 120} {
		s.line("assistant", fields{"message": fields{
			"id": "m", "content": []any{text("x")}, "usage": fields{"input_tokens": 10, "output_tokens": n, "cache_read_input_tokens": 2, "cache_creation_input_tokens": 1},
		}})
	}
	want(t, "usage", s.parse(t).Usage, ingest.Usage{Input: 10, Output: 120, CacheWrite: 1, CacheRead: 2})
}

func TestCalls(t *testing.T) {
	s := &script{}
	s.call("t1", "Bash", fields{"command": "make", "timeout": 5}, "Exit code 2\n\x1b[31mFAIL\x1b[0m app", "Error: Exit code 2")
	s.call("t2", "Bash", fields{"command": "sleep 9"}, "", fields{"stdout": "", "interrupted": true})
	s.call("t3", "MultiEdit", fields{"file_path": "/a.go", "edits": []any{fields{"old_string": "a", "new_string": "b"}, fields{"old_string": "c", "new_string": "d"}}}, "ok", nil)
	s.call("t4", "Edit", fields{"file_path": "/b.go", "old_string": "x", "new_string": "y"}, "ok", fields{"originalFile": "z"})
	s.call("t5", "Read", fields{"file_path": "/big"}, strings.Repeat("line of text\n", 2000)+"the end", nil)
	s.say("m-t6", use("t6", "mcp__x__y", "odd input"))
	s.user([]any{fields{"type": "tool_result", "tool_use_id": "t6", "content": []any{text("one"), fields{"type": "image", "source": fields{"data": "AAAA"}}, text("two")}}})
	s.user(result("t7", "before its call", false))
	s.say("m-t7", use("t7", "Bash", fields{"command": "late"}))
	got := s.parse(t)
	c := calls(got)
	want(t, "failed", []bool{c["t1"].Failed, c["t2"].Failed, c["t3"].Failed}, []bool{true, true, false})
	want(t, "colours", c["t1"].Result, "Exit code 2\nFAIL app")
	want(t, "input", c["t1"].Input, map[string]string{"command": "make", "timeout": "5"})
	want(t, "command", c["t1"].Command, "make")
	want(t, "edits", c["t3"].Edits, []ingest.Edit{{Old: "a", New: "b"}, {Old: "c", New: "d"}})
	want(t, "edit", c["t4"].Edits, []ingest.Edit{{Old: "x", New: "y"}})
	want(t, "path", c["t4"].Path, "/b.go")
	want(t, "blocks", c["t6"].Result, "one\n[image]\ntwo")
	want(t, "order turned round", c["t7"].Result, "before its call")
	big := c["t5"]
	if !strings.HasPrefix(big.Result, "line of text\n") || !strings.HasSuffix(big.Result, "the end") || len(big.Result) > ingest.ClipResult+100 {
		t.Errorf("big result: got %d bytes %.20q … %q, want beginning and end", len(big.Result), big.Result, big.Result[len(big.Result)-20:])
	}
	want(t, "its size", big.ResultLen, int64(2000*14+7)) // as written: an escape is two bytes
	for _, turn := range got.Turns {
		if turn.Role == ingest.User {
			t.Errorf("got a turn %+v of the person's, want none", turn)
		}
	}
}

func TestCommits(t *testing.T) {
	s := &script{}
	s.call("t1", "Bash", fields{"command": "git add . && git commit -m \"cache: LRU\""}, "[main 1a2b3c4] cache: LRU\n 1 file changed", nil)
	s.call("t2", "Bash", fields{"command": "git commit -q -m \"$(cat <<'EOF'\nindex: poll\n\nwhy\nEOF\n)\""}, "", nil)
	s.call("t3", "Bash", fields{"command": "git -C /x commit -qam 'it''s'"}, "", fields{"gitOperation": fields{"commit": fields{"sha": "752e16ce", "kind": "committed"}}})
	s.call("t4", "Bash", fields{"command": "git commit -m x"}, "Exit code 1\nnothing to commit", nil)
	s.call("t5", "Bash", fields{"command": "git log --grep=commit"}, "[main 1a2b3c4] quoted", nil)
	s.call("t6", "Bash", fields{"command": "gh pr create"}, "https://github.com/ann/app/pull/12",
		fields{"gitOperation": fields{"pr": fields{"number": 12, "url": "https://github.com/ann/app/pull/12", "action": "created"}}})
	s.raw(fields{"type": "pr-link", "prNumber": 12, "prUrl": "https://github.com/ann/app/pull/12", "prRepository": "ann/app", "timestamp": "2026-03-02T10:00:00Z", "sessionId": "s"})
	got := s.parse(t)
	c := calls(got)
	for id, wanted := range map[string][2]string{
		"t1": {"1a2b3c4", "cache: LRU"}, "t2": {"", "index: poll"}, "t3": {"752e16ce", "it"}, "t4": {}, "t5": {}, "t6": {},
	} {
		want(t, id, [2]string{c[id].Commit, c[id].CommitMessage}, wanted)
	}
	if len(got.PRs) != 1 || got.PRs[0].Number != 12 || got.PRs[0].Repository != "ann/app" {
		t.Errorf("pull requests: got %+v, want one of ann/app", got.PRs)
	}
}

func TestTasks(t *testing.T) {
	type task struct{ ID, Subject, Status string }
	tests := []struct {
		name   string
		script func(s *script)
		want   []task
	}{
		{"the last list wins", func(s *script) {
			s.call("t1", "TodoWrite", fields{"todos": []any{fields{"content": "a", "status": "pending"}, fields{"content": "b", "status": "pending"}}}, "ok", nil)
			s.call("t2", "TodoWrite", fields{}, "ok", fields{"oldTodos": []any{}, "newTodos": []any{fields{"content": "a", "status": "completed"}, fields{"content": "c", "status": "in_progress"}}})
		}, []task{{"", "a", "completed"}, {"", "c", "in_progress"}}},
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
		{"a reminder knows better", func(s *script) {
			s.call("t1", "TaskCreate", fields{"subject": "a"}, "Task #1 created successfully: a", nil)
			s.line("attachment", fields{"attachment": fields{"type": "task_reminder", "itemCount": 2, "content": []any{
				fields{"id": "1", "subject": "a", "status": "completed"}, fields{"id": "2", "subject": "b", "status": "pending"}}}})
		}, []task{{"1", "a", "completed"}, {"2", "b", "pending"}}},
		{"listed", func(s *script) {
			s.call("t1", "TaskList", fields{}, "…", fields{"tasks": []any{fields{"id": "1", "subject": "a", "status": "in_progress"}}})
		}, []task{{"1", "a", "in_progress"}}},
		{"with a prompt", func(s *script) {
			s.user("go on", fields{"todos": []any{fields{"content": "a", "status": "in_progress", "activeForm": "a-ing"}}})
		}, []task{{"", "a", "in_progress"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &script{}
			tt.script(s)
			var got []task
			for _, k := range s.parse(t).Tasks {
				got = append(got, task{k.ID, k.Subject, k.Status})
			}
			want(t, "tasks", got, tt.want)
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
			s.raw(fields{"type": "worktree-state", "worktreeSession": fields{"worktreePath": "/w/wt-1", "worktreeName": "wt-1", "worktreeBranch": "b", "originalCwd": "/home/ann/app"}, "sessionId": "s"})
		}
	)
	tests := []struct {
		title, from string
		script      []func(*script)
	}{
		{"wt-1", "custom-title", []func(*script){prompt, custom, rename, ai, agent, summary}},
		{"Renamed", "rename", []func(*script){prompt, tree, custom, rename, ai, agent, summary}},
		{"Generated", "ai-title", []func(*script){prompt, ai, agent, summary}},
		{"Agent", "agent-name", []func(*script){prompt, agent, summary}},
		{"Summed up", "summary", []func(*script){foreign, prompt, summary, foreign}},
		{"Make the tests faster", "prompt", []func(*script){prompt, foreign}},
		{"", "", []func(*script){foreign}},
	}
	for _, tt := range tests {
		s := &script{}
		for _, f := range tt.script {
			f(s)
		}
		got := s.parse(t)
		want(t, "title", []string{got.Title, got.TitleFrom}, []string{tt.title, tt.from})
	}
}

func TestPlaces(t *testing.T) {
	s := &script{}
	s.line("attachment", fields{"attachment": fields{"type": "date"}, "cwd": "/home/ann"})
	s.user("a")
	s.say("m1", text("ok"))
	s.user("b", fields{"cwd": "/w/wt-1", "gitBranch": "fix"})
	s.user("c", fields{"cwd": "/w/wt-1", "gitBranch": "HEAD"})
	s.raw(fields{"type": "worktree-state", "worktreeSession": fields{"worktreePath": "/w/wt-1", "worktreeName": "wt-1", "worktreeBranch": "b", "originalCwd": "/home/ann/app"}})
	s.raw(fields{"type": "worktree-state", "worktreeSession": nil})
	s.raw(fields{"type": "relocated", "relocatedCwd": "/new"})
	w := s.parse(t).Where
	want(t, "directories", w.Cwds, []ingest.CwdCount{{Dir: "/home/ann"}, {Dir: "/home/ann/app", Turns: 2}, {Dir: "/w/wt-1", Turns: 2}})
	want(t, "branch", w.Branch, "fix")
	want(t, "branches", w.Branches, []string{"main", "fix"})
	want(t, "worktree", w.Worktree, &ingest.Worktree{Path: "/w/wt-1", Name: "wt-1", Branch: "b", Original: "/home/ann/app"})
	want(t, "relocated", w.Relocated, "/new")
}

func TestLineageOfLines(t *testing.T) {
	on := fields{"type": "continued-in", "sessionId": "s", "continuedInSessionId": "next"}
	s := &script{}
	s.user("a")
	s.raw(on)
	want(t, "continued", s.parse(t).ContinuedIn, ingest.SessionID("next"))
	s.user("but I stayed")
	want(t, "void", s.parse(t).ContinuedIn, ingest.SessionID(""))

	s = &script{}
	s.raw(fields{"type": "branched-from", "sessionId": "s", "sourceSessionId": "p", "branchedAt": "2026-03-02T10:00:00Z"})
	s.user("a")
	got := s.parse(t)
	want(t, "branched", got.Parent, &ingest.Parent{Session: "p", How: "branch"})
	want(t, "born", got.Born, time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC))

	s = &script{}
	s.user("a", fields{"sessionId": "old"})
	s.user("b")
	got = s.parse(t)
	want(t, "resumed", got.Parent, &ingest.Parent{Session: "old", How: "continued"})
	want(t, "aliases", got.Aliases, []ingest.SessionID{"old"})
	want(t, "both stay", len(got.Turns), 2)
}

func TestPlanWithClearedContext(t *testing.T) {
	s := &script{}
	s.user("plan it")
	s.say("m1", use("t1", "ExitPlanMode", fields{"plan": "# Cache\n- LRU"}))
	s.user(result("t1", "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.", true))
	s.user([]any{text("[Request interrupted by user for tool use]")})
	s.user("Implement the following plan:\n\n# Cache\n- LRU", fields{"planContent": "# Cache\n- LRU"})
	got := s.parse(t)
	want(t, "turns", outlineOf(got), []string{"prompt plan it", "message", "interrupt [Request interrupted by user for tool use]", "plan # Cache\n- LRU"})
	want(t, "verdict", calls(got)["t1"].Verdict, ingest.Approved)
}

func TestPlanTexts(t *testing.T) {
	const file = "/home/ann/.claude/plans/quiet-amber-fox.md"
	tests := []struct {
		name    string
		input   fields
		text    string
		reply   any
		verdict ingest.Verdict
		plan    string
		edited  bool
	}{
		{"in the call", fields{"plan": "# A"}, "User has approved your plan. You can now start coding.", nil, ingest.Approved, "# A", false},
		{"in the reply", fields{}, "User has approved your plan. You can now start coding.", fields{"plan": "# B", "filePath": file}, ingest.Approved, "# B", false},
		{"edited by the person", fields{"plan": "# A"}, "User has approved your plan. You can now start coding.\n\n## Approved Plan (edited by user):\n# C", fields{"plan": "# A"}, ingest.Approved, "# C", true},
		{"a sub-agent's", fields{"plan": "# A"}, "User has approved the plan. There is nothing else needed from you now.", fields{"plan": "# A", "isAgent": true}, ingest.Unasked, "# A", false},
		{"up to the lead", fields{"plan": "# A"}, "Your plan has been submitted to the team lead for approval.", fields{"plan": "# A", "awaitingLeaderApproval": true}, ingest.Unasked, "# A", false},
		{"in a file that was written before", fields{}, "User has approved your plan. You can now start coding.", nil, ingest.Approved, "# Written", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &script{}
			s.call("t0", "Write", fields{"file_path": file, "content": "# Written"}, "ok", nil)
			s.call("t1", "ExitPlanMode", tt.input, tt.text, tt.reply)
			c := calls(s.parse(t))["t1"]
			if c.Plan == nil {
				t.Fatal("got no plan")
			}
			want(t, "verdict", c.Verdict, tt.verdict)
			want(t, "plan", c.Plan.Text, tt.plan)
			want(t, "edited", c.Plan.Edited, tt.edited)
		})
	}
}

func TestAnswersInText(t *testing.T) {
	questions := []any{
		fields{"question": "Which store?", "options": []any{fields{"label": "SQLite"}, fields{"label": "Postgres"}}},
		fields{"question": `Is "x" fine, or "y"="z"?`, "options": []any{fields{"label": "yes, quite"}}},
		fields{"question": "Which of them?", "multiSelect": true, "options": []any{fields{"label": "a"}, fields{"label": "a, b"}, fields{"label": "c"}}},
	}
	tests := []struct {
		text string
		want []string
	}{
		{`User has answered your questions: "Which store?"="SQLite", "Is "x" fine, or "y"="z"?"="yes, quite", "Which of them?"="a, b, c". You can now continue with the user's answers in mind.`,
			[]string{"SQLite", "yes, quite", "a, b|c"}},
		{`The user answered: "Which store?"="none, a "flat" file".`, []string{`free:none, a "flat" file`}},
		{`Your questions have been answered: . You can now continue with these answers in mind.`, nil},
		{`The user did not answer the questions.`, nil},
	}
	for _, tt := range tests {
		s := &script{}
		s.call("t1", "AskUserQuestion", fields{"questions": questions}, tt.text, nil)
		var got []string
		for _, a := range calls(s.parse(t))["t1"].Answers {
			line := strings.Join(a.Chosen, "|")
			if a.Free {
				line = "free:" + line
			}
			got = append(got, line)
		}
		want(t, tt.text, got, tt.want)
	}
}

func TestAnswersOfEveryKind(t *testing.T) {
	ask := fields{"questions": []any{fields{"question": "q", "options": []any{fields{"label": "a"}}}}}
	tests := []struct {
		name  string
		reply fields
		want  []string
	}{
		{"skipped", fields{"answers": fields{"q": "a"}, "annotations": fields{"q": fields{"unanswered": "skipped"}}}, nil},
		{"empty", fields{"answers": fields{}}, nil},
		{"blank", fields{"answers": fields{"q": " "}}, nil},
		{"timed out", fields{"answers": fields{"q": "a"}, "afkTimeoutMs": 5}, nil},
		{"not timed out", fields{"answers": fields{"q": "a"}, "afkTimeoutMs": nil}, []string{"a"}},
		{"a reply instead", fields{"answers": fields{}, "response": "ask me tomorrow"}, []string{"ask me tomorrow"}},
		{"another question", fields{"answers": fields{"other": "a"}}, nil},
	}
	for _, tt := range tests {
		s := &script{}
		s.call("t1", "AskUserQuestion", ask, "Your questions have been answered: …", tt.reply)
		var got []string
		for _, a := range calls(s.parse(t))["t1"].Answers {
			got = append(got, a.Chosen...)
		}
		want(t, tt.name, got, tt.want)
	}
}

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
	s.say("m1", text("ok"))
	s.line("attachment", fields{"attachment": fields{"type": "queued_command", "prompt": "delivered", "commandMode": "prompt"}})
	s.line("attachment", fields{"attachment": fields{"type": "queued_command", "prompt": "<task-notification><summary>y</summary></task-notification>", "commandMode": "task-notification"}})
	s.line("attachment", fields{"attachment": fields{"type": "queued_command", "prompt": "a peer's", "origin": fields{"kind": "peer"}}})
	s.line("system", fields{"subtype": "informational", "content": "UserPromptSubmit operation blocked by hook:\nx\n\nOriginal prompt: blocked"})
	got := s.parse(t)
	want(t, "turns", outlineOf(got), []string{
		"prompt a", "prompt lost", "message ok", "prompt delivered", "event task-notification y", "event peer a peer's",
	})
	want(t, "queued", []bool{got.Turns[0].Queued, got.Turns[1].Queued, got.Turns[3].Queued}, []bool{false, true, true})
}

func TestWhoseWords(t *testing.T) {
	s := &script{}
	s.user("typed", fields{"origin": fields{"kind": "human"}})
	s.user("from a peer", fields{"origin": fields{"kind": "peer"}})
	s.user("from the system", fields{"promptSource": "system"})
	s.user("injected", fields{"isMeta": true})
	s.user([]any{text("<ide_opened_file>a.go</ide_opened_file>"), text("first"), fields{"type": "image", "source": fields{"data": "AA"}}, text("second")})
	s.user([]any{fields{"type": "image", "source": fields{"data": "AA"}}})
	s.line("assistant", fields{"message": fields{"id": "x", "model": "<synthetic>", "content": []any{text("No response requested.")}}})
	s.line("system", fields{"subtype": "local_command", "content": "<command-name>/plan</command-name><command-args>x</command-args>"})
	s.user("summed up", fields{"isCompactSummary": true})
	want(t, "turns", outlineOf(s.parse(t)), []string{
		"prompt typed", "event peer from a peer", "event system from the system", "prompt first\nsecond", "prompt [image]", "command /plan x", "summary summed up",
	})
}

func TestSubagentsInline(t *testing.T) {
	s := &script{}
	s.user("look")
	main := s.say("m1", use("t1", "Task", fields{"prompt": "Find it.", "subagent_type": "Explore", "description": "find"}), use("t2", "Task", fields{"prompt": "b"}))
	s.last = ""
	s.user("Find it.", fields{"isSidechain": true})
	s.line("assistant", fields{"isSidechain": true, "message": fields{"id": "k1", "content": []any{text("It is here."), use("k", "Bash", fields{"command": "ls"})}, "usage": fields{"output_tokens": 99}}})
	s.line("progress", fields{"parentUuid": main, "parentToolUseID": "t2", "data": fields{"type": "agent_progress", "agentId": "b2"}})
	s.line("user", fields{"isSidechain": true, "agentId": "b2", "parentUuid": nil, "message": fields{"content": "b, in other words"}})
	s.last = main
	s.user(result("t1", "It is here.", false))
	s.say("m2", text("Found."))
	got := s.parse(t)
	want(t, "turns", outlineOf(got), []string{"prompt look", "message", "message Found."})
	want(t, "tokens", got.Usage.Output, 2)
	type sub struct{ ID, Type, Call, First string }
	var subs []sub
	for _, k := range got.Subagents {
		subs = append(subs, sub{k.ID, k.Type, k.Call, k.Turns[0].Text})
	}
	want(t, "sub-agents", subs, []sub{{"sidechain-1", "Explore", "t1", "Find it."}, {"b2", "", "t2", "b, in other words"}})
	want(t, "turns of the first", outlineOf(&ingest.Session{Turns: got.Subagents[0].Turns}), []string{"prompt Find it.", "message It is here."})
}

func TestCarried(t *testing.T) {
	const payload = "<!-- recall k3v9t2m8qa -->\n- Use SQLite.\n<!-- /recall -->"
	s := &script{}
	s.line("attachment", fields{"attachment": fields{"type": "hook_additional_context", "content": strings.Replace(payload, "k3v9t2m8qa", "aaaaaaaaaa", 1)}})
	s.user("<system-reminder>" + strings.Replace(payload, "k3v9t2m8qa", "bbbbbbbbbb", 1) + "</system-reminder>go on")
	s.call("t1", "mcp__recall__query", fields{}, "found:\n"+payload, nil)
	s.user(payload + "\nand now the index")
	got := s.parse(t)
	want(t, "carried by the session", got.Carried, []string{"aaaaaaaaaa", "bbbbbbbbbb", "k3v9t2m8qa"})
	want(t, "by the call's turn", got.Turns[1].Carried, []string{"k3v9t2m8qa"})
	last := got.Turns[2]
	want(t, "foreign", []int{last.Foreign[0].From, last.Foreign[0].To}, []int{0, len(payload)})
	want(t, "helper", got.Helper, false)

	s = &script{}
	s.user(ingest.ModelCall+"\nExtract the decisions.", fields{"entrypoint": "sdk-cli"})
	s.say("m", text("{}"))
	want(t, "helper", s.parse(t).Helper, true)
}
