package model

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	"recall/ingest/claudecode"
)

// What stands in the middle of a long message isn't said to be typed: a first and a last
// paragraph are. A message of which all is long is marked throughout.
func TestPastesAreMarked(t *testing.T) {
	log := strings.Repeat("12:00:01 worker 3: we decided to retry at once\n", 50)
	for name, c := range map[string]struct{ text, first, last, middle string }{
		"between": {"why does it hang? don't touch the queue\n\n" + log + "\nuse a mutex there",
			"| why does it hang? don't touch the queue", "| use a mutex there", "> 12:00:01"},
		"all": {log + "\n" + log,
			"> 12:00:01 worker 3: we decided to retry at once", "> 12:00:01 worker 3: we decided to retry at once", "> 12"},
		"short":    {"use a mutex\n\n- here\n- there\n\nand test it", "| use a mutex", "| and test it", "| - here"},
		"one line": {strings.Repeat("I want it to be simple. ", 200), "| I want it", "| I want it", "| I want it"},
	} {
		s := session("u: x", "a: I'll look.")
		s.Turns[0].Text = c.text
		blocks, _ := condense(s)
		lines := strings.Split(strings.TrimSpace(blocks[0].text), "\n")
		if got, last := lines[1], lines[len(lines)-1]; !strings.HasPrefix(got, c.first) ||
			!strings.HasPrefix(last, c.last) || !strings.Contains(blocks[0].text, "\n"+c.middle) {
			t.Errorf("%s: got\n%s", name, blocks[0].text)
		}
		at, q, fault := sourcesOf(blocks).find(cited{"t1", word(cutAt(lines[len(lines)/2], 40))})
		if fault != "" || at.turn != &s.Turns[0] || q == "" {
			t.Errorf("%s: %q can't be quoted: %s", name, lines[len(lines)/2], fault)
		}
	}
}

// A plan is written to a file before a person is shown it: what they saw and approved or refused
// is shown as that, and a document in other words as what it is.
func TestAPlanIsNotItsFile(t *testing.T) {
	s := session("u: keep it simple", "a: I plan.", "a: And again.")
	text := "# A queue of jobs in two parts\nThe queue is kept in Postgres\nEach job has a priority of its own"
	refused := "# A queue of jobs in memory\nThe queue is kept in memory alone"
	write := func(path, text string) ingest.ToolCall {
		return ingest.ToolCall{Name: "Write", Path: path, Done: true, Input: map[string]string{"content": text}}
	}
	plan := func(text string, v ingest.Verdict) ingest.ToolCall {
		return ingest.ToolCall{Name: "ExitPlanMode", Done: true, Plan: &ingest.Plan{Text: text}, Verdict: v}
	}
	s.Turns[1].Calls = []ingest.ToolCall{write("plans/a.md", refused), plan(refused, ingest.Rejected)}
	s.Turns[2].Calls = []ingest.ToolCall{write("plans/a.md", text+"\nAnd what the plan leaves out"),
		plan(text, ingest.Approved)}
	blocks, _ := condense(s)
	want := `## t2 assistant
| I plan.
+ Write plans/a.md
+   | # A queue of jobs in memory
+   | The queue is kept in memory alone
+ plan refused by the user
x   # A queue of jobs in memory
x   The queue is kept in memory alone
## t3
| And again.
+ Write plans/a.md
+   | # A queue of jobs in two parts
+   | The queue is kept in Postgres
+   | Each job has a priority of its own
+   | And what the plan leaves out
+ plan approved by the user
|   # A queue of jobs in two parts
|   The queue is kept in Postgres
|   Each job has a priority of its own
`
	w := window{blocks: blocks[1:]}
	if d := cmp.Diff(want, w.text()); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	at, quote, fault := sourcesOf(blocks).find(cited{"t3", "The queue is kept in Postgres"})
	if fault != "" || !saidByPerson(at.turn, quote) {
		t.Errorf("what a person approved isn't their word: %q, %s", quote, fault)
	}
}

// What is written for people to read is shown and can be quoted: a commit's whole message, what a
// command posts. Code that a command is handed isn't.
func TestWhatIsWrittenForPeopleIsShown(t *testing.T) {
	s := session("u: go on", "a: Yes.")
	bash := func(command string) ingest.ToolCall {
		return ingest.ToolCall{Name: "Bash", Command: command, Done: true}
	}
	commit := bash("git add -A && git commit -q -m \"$(cat <<'EOF'\nRetry five times\n\nThe gateway restarts in four " +
		"seconds.\nEOF\n)\" && git push")
	commit.Commit, commit.CommitMessage = "abc1234", "Retry five times"
	s.Turns[1].Calls = []ingest.ToolCall{
		commit, bash(`gh pr comment 7 --body "Not taken: a lock per job costs more than it saves."`),
		bash("python3 << 'EOF'\nimport queue  # nothing that anybody reads\nEOF"),
		bash("git push origin HEAD:refs/heads/queue-order-by-age"), bash(`pytest -m "not slow"`),
	}
	blocks, _ := condense(s)
	want := `## t2 assistant
| Yes.
+ Bash git add -A && git commit -q … -> commit abc1234
+   | Retry five times
+   | The gateway restarts in four seconds.
+ Bash gh pr comment 7 --body "Not taken: a lock per job costs more than it saves."
+   | Not taken: a lock per job costs more than it saves.
+ Bash python3 << 'EOF' import queue # nothing…
+ Bash git push origin HEAD:refs/heads/queue-order-by-age
+ Bash pytest -m "not slow"
`
	if d := cmp.Diff(want, blocks[1].text); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if lines, lost := quotedAll(t, s); lines < 10 || lost > 0 {
		t.Errorf("%d of %d lines can't be quoted", lost, lines)
	}
}

// Whoever wants to talk about a question first said no more than they had answered by then.
func TestTheClientsWordsAreNobodys(t *testing.T) {
	s := session("u: go on", "a: A question.")
	refusal := "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n" +
		"The user wants to clarify these questions.\n    This means they may have additional information.\n\n" +
		"    Questions asked:\n- \"Which store?\"\n  Answer: SQLite\n- \"Which port?\"\n  (No answer provided)"
	call := ingest.ToolCall{Name: "AskUserQuestion", Done: true, Failed: true, Result: refusal}
	call.Verdict, call.Reason = claudecode.Refusal(refusal)
	call.Answers = []ingest.Answer{{Question: "Which store?", Chosen: []string{"SQLite"}}}
	call.Open = []ingest.Answer{{Question: "Which port?"}}
	s.Turns[1].Calls = []ingest.ToolCall{call}
	blocks, _ := condense(s)
	want := `## t2 assistant
| A question.
? Which store?
= user: SQLite
? Which port?
= no answer
`
	if d := cmp.Diff(want, blocks[1].text); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// Nothing is shown of what says nothing: brackets, a client's words around a commit, an output or a summary.
func TestWhatSaysNothingIsLeftOut(t *testing.T) {
	s := session("u: go on", "a: ", "u: again", "a: | a | b |\n|---|---|\n}\n[…]", "u: ", "a: ")
	s.Turns[1].Calls = []ingest.ToolCall{{Name: "Bash", Command: "swift build", Done: true, Failed: true,
		Result: "Exit code 1\n"}}
	s.Turns[4].Kind = ingest.Summary
	s.Turns[4].Text = "This session is being continued from a previous conversation that ran out of context.\n" +
		"Built.\nPlease continue the conversation from where we left off."
	s.Turns[5].Calls = []ingest.ToolCall{{Name: "Bash", Done: true, Commit: "abc1234", Command: "git commit -F m",
		CommitMessage: "Build\n\nCo-Authored-By: Claude <a@b.c>"}}
	blocks, _ := condense(s)
	want := `## t1 user
| go on
## t2 assistant
+ Bash swift build -> failed
## t3 user
| again
## t4 assistant
| | a | b |
| […]
## t5 summary by the client of what is above
| Built.
## t6 assistant
+ Bash git commit -F m -> commit abc1234
+   | Build
`
	w := window{blocks: blocks}
	if d := cmp.Diff(want, w.text()); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// What a model is shown of each kind of turn and call.
func TestCondense(t *testing.T) {
	s := session("u: Look at it.\n\nAnd <tell> me", "a: I'll look.", "u: ok", "a: Next.", "a: ", "u: left", "u: old",
		"a: Done.")
	s.Where.Cwds = []ingest.CwdCount{{Dir: "/home/dev/p", Turns: 9}, {Dir: "/tmp", Turns: 90}}
	edit := func(path string, n int) ingest.ToolCall {
		return ingest.ToolCall{Name: "Edit", Path: path, Done: true, Edits: []ingest.Edit{{Old: "a",
			New: strings.Repeat("b\n", n)}}, Result: "ok"}
	}
	s.Turns[1].Calls = []ingest.ToolCall{
		{Name: "Read", Path: "/home/dev/p/a.go", Done: true, Result: "package a"},
		{Name: "Read", Path: "/home/dev/p/a.go", Done: true}, {Name: "Grep",
			Input: map[string]string{"pattern": "func main"}, Done: true},
		edit("/home/dev/p/a.go", 3), edit("/home/dev/p/a.go", 2), edit("/etc/b.go", 1),
		{Name: "Bash", Command: "go test ./...", Done: true, Failed: true, Result: "ok 1\nFAIL: TestX\nexit"},
		{Name: "Bash", Command: "git commit -m x", Done: true, Commit: "abc1234", CommitMessage: "Order the jobs\n\nBy age.",
			Result: "[main abc1234]"},
		{Name: "Bash", Command: "true", Done: true, Result: "(Bash completed with no output)"},
		{Name: "TodoWrite", Input: map[string]string{"todos": `[{"content":"measure","status":"pending"},{"content":"write","status":"completed"}]`}, Done: true},
	}
	s.Turns[3].Calls = []ingest.ToolCall{
		{Name: "AskUserQuestion", Done: true, Answers: []ingest.Answer{{Question: "Which store?",
			Options: []ingest.Option{{Label: "SQLite", Description: "one file"}, {Label: "Redis"}}, Chosen: []string{"SQLite"},
			Notes: "for now"}}},
		{Name: "ExitPlanMode", Done: true, Verdict: ingest.Approved, Plan: &ingest.Plan{Text: "# Plan\n1. A heap"}},
		{Name: "Write", Path: "/home/dev/p/c.go", Verdict: ingest.Rejected, Done: true, Reason: "not there",
			Result: "refused", Input: map[string]string{"content": "x\ny"}},
		{Name: "Write", Path: "notes.md", Done: true, Input: map[string]string{"content": "# Notes\nkeep it"}},
		{Name: "Task", ID: "c9", Input: map[string]string{"description": "find callers"}, Done: true,
			Result: "Three callers.\nagentId: a1"},
	}
	s.Turns[5].Abandoned, s.Turns[6].Copied = true, true
	s.Turns[7].Text = "Done.\n<!-- recall k3v9t2m8qa -->\nold words\n<!-- /recall -->\nThat is all."
	ingest.MarkForeign(&s.Turns[7])
	blocks, copied := condense(s)
	var b strings.Builder
	for _, k := range append(copied, blocks...) {
		b.WriteString(k.text)
	}
	want := `## before, user
| old
## t1 user
| Look at it.
| And <tell> me
## t2 assistant
| I'll look.
+ Edit a.go
+ Edit /etc/b.go
+ Bash go test ./... -> failed
+ Bash git commit -m x -> commit abc1234
+   | Order the jobs
+   | By age.
+ Bash true
+ still to do: measure
## t3 user
| ok
## t4 assistant
| Next.
? Which store?
?   - SQLite: one file
?   - Redis
= user: SQLite
= user notes: for now
+ plan approved by the user
|   # Plan
|   1. A heap
+ Write c.go -> refused by the user
= user: not there
+ Write notes.md
+   | # Notes
+   | keep it
+ Task find callers
## t8 assistant
| Done.
| [53 bytes of recall left out]
| That is all.
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// What only looks at something isn't shown.
func TestLooksAreNotShown(t *testing.T) {
	s := session("u: go on", "a: ", "a: ", "a: ", "u: and?")
	read, list := ingest.ToolCall{Name: "Read", Path: "a.go", Done: true}, ingest.ToolCall{Name: "TaskList", Done: true}
	s.Turns[1].Calls = []ingest.ToolCall{read, read}
	s.Turns[2].Calls = []ingest.ToolCall{read, list, read}
	s.Turns[3].Calls = []ingest.ToolCall{read, {Name: "Bash", Command: "ls", Done: true, Failed: true, Result: "no such"}}
	blocks, _ := condense(s)
	var got []string
	for _, k := range blocks {
		got = append(got, label(k.turn)+": "+k.text)
	}
	want := []string{"t1: ## t1 user\n| go on\n", "t4: ## t4 assistant\n+ Bash ls -> failed\n",
		"t5: ## t5 user\n| and?\n"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestClip(t *testing.T) {
	got := clip(strings.Repeat("fine line here\n", 400)+"the very end", 600)
	if len(got) > 600 || !strings.HasPrefix(got, "fine line") || !strings.HasSuffix(got, "the very end") {
		t.Errorf("got %d bytes: %s", len(got), got)
	}
	if got := clip(strings.Repeat("é", 5000), 100); len(got) > 140 || strings.ContainsRune(got, '\uFFFD') {
		t.Errorf("letters were cut: %q", got)
	}
}
