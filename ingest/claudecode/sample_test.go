package claudecode

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recall/ingest"
	"recall/ingest/ingesttest"
)

const samples = "../testdata/samples"

// sample parses one session of a sample case by the end of its id.
func sample(t *testing.T, name, end string) *ingest.Session {
	t.Helper()
	for id, s := range ingesttest.All(t, Reader{}, filepath.Join(samples, name, "projects")) {
		if strings.HasSuffix(string(id), end) {
			return s
		}
	}
	t.Fatalf("no session …%s in %s", end, name)
	return nil
}

func TestSampleBranching(t *testing.T) {
	s := sample(t, "01-branching", "0001")
	ingesttest.Equal(t, "lines", s.Report.Lines, 21)
	ingesttest.Equal(t, "duplicates", s.Report.Duplicates, 1)
	ingesttest.Equal(t, "repaired", s.Report.Repaired, 1)
	ingesttest.Equal(t, "prompts", ingesttest.Texts(s, ingest.Prompt, false), []string{
		"Cache the price lookups. Start with Redis.",
		"Stop, no Redis. We go with an in-process LRU cache, we do not want another server to run.",
		"Set its size to 10,000 entries.",
	})
	ingesttest.Equal(t, "abandoned prompts", ingesttest.Texts(s, ingest.Prompt, true),
		[]string{"Use a TTL of one hour."})
	ingesttest.Equal(t, "messages", len(ingesttest.Texts(s, ingest.Message, false)), 4)
	ingesttest.Equal(t, "abandoned messages", len(ingesttest.Texts(s, ingest.Message, true)), 2)
	ingesttest.Equal(t, "tokens on the path", s.Usage.Output, 240)
	ingesttest.Equal(t, "tokens in all", s.UsageAll.Output, 340)
	ingesttest.Equal(t, "title", s.Title, "Price lookup cache")
	ingesttest.Equal(t, "redis", ingesttest.Calls(s)["toolu_b1"].Path, "/home/ann/app/redis.go")
	for _, turn := range s.Turns {
		if turn.Text != "Understood. I will use an in-process LRU cache." {
			continue
		}
		ingesttest.Equal(t, "calls of msg_b4", len(turn.Calls), 2)
		ingesttest.Equal(t, "its results", turn.Calls[0].Done && turn.Calls[1].Done, true)
	}
}

func TestSampleFork(t *testing.T) {
	all := ingesttest.All(t, Reader{}, filepath.Join(samples, "01-branching", "projects"))
	parent := all["b0000001-0000-4000-8000-000000000001"]
	fork := all["b0000001-0000-4000-8000-0000000000f2"]
	ingest.Own([]*ingest.Session{fork, parent})
	ingesttest.Equal(t, "parent", fork.Parent, &ingest.Parent{Session: parent.ID, How: "branch", Turns: 5})
	ingesttest.Equal(t, "title", fork.Title, "Price lookup cache (fork)")
	own := map[ingest.TurnKind]int{}
	for _, s := range all {
		for _, turn := range s.Turns {
			if !turn.Copied {
				own[turn.Kind]++
			}
			if turn.Copied && s == parent {
				t.Errorf("turn %d of the parent: got a copy, want its own", turn.N)
			}
		}
	}
	ingesttest.Equal(t, "own turns of both", own, map[ingest.TurnKind]int{ingest.Prompt: 5, ingest.Message: 7})
	ingesttest.Equal(t, "own tokens of the fork", fork.Usage.Output, 50)
}

func TestSampleCompaction(t *testing.T) {
	s := sample(t, "02-compaction", "0002")
	ingesttest.Equal(t, "prompts", ingesttest.Texts(s, ingest.Prompt, false), []string{
		"Decide how we store sessions. Use SQLite, not Postgres.", "Go on with the migration.",
	})
	ingesttest.Equal(t, "commands", ingesttest.Texts(s, ingest.Command, false), []string{"keep the storage decision"})
	ingesttest.Equal(t, "messages", ingesttest.Texts(s, ingest.Message, false), []string{
		"SQLite it is.", "Migration 0001 is written. The index is still open.",
	})
	if len(s.Compactions) != 1 {
		t.Fatalf("got %d compactions, want 1", len(s.Compactions))
	}
	k := s.Compactions[0]
	ingesttest.Equal(t, "trigger", k.Trigger, "manual")
	ingesttest.Equal(t, "tokens", []int64{k.Before, k.After}, []int64{90210, 4100})
	ingesttest.Equal(t, "wish", k.Wish, "keep the storage decision")
	for _, turn := range s.Turns {
		if turn.Kind == ingest.Summary {
			ingesttest.Equal(t, "summary", turn.ID, k.Summary)
			ingesttest.Equal(t, "its pending task", strings.Contains(turn.Text, "Add an index on started_at"), true)
		}
	}
}

func TestSampleRejection(t *testing.T) {
	s := sample(t, "03-rejection", "0003")
	ingesttest.Equal(t, "prompts", ingesttest.Texts(s, ingest.Prompt, false), []string{
		"Make the tests faster.", "Go on with the clock.", "Never delete testdata, it is hand-made.",
	})
	type refusal struct{ What, Reason string }
	var got []refusal
	for _, turn := range s.Turns {
		for _, c := range turn.Calls {
			if c.Verdict == ingest.Rejected {
				got = append(got, refusal{c.Name + " " + c.Path + c.Command, c.Reason})
			}
		}
	}
	ingesttest.Equal(t, "rejections", got, []refusal{
		{"Edit /home/ann/app/main_test.go", "no parallel tests, they share one database; mock the clock instead"},
		{"Bash rm -rf testdata", "Never delete testdata, it is hand-made."},
	})
	ingesttest.Equal(t, "interrupts", len(ingesttest.Texts(s, ingest.Interrupt, false)), 2)
	byID := ingesttest.Calls(s)
	ingesttest.Equal(t, "classifier", byID["toolu_r3"].Verdict, ingest.Denied)
	ingesttest.Equal(t, "quoted", byID["toolu_r4"].Verdict, ingest.Unasked)
	ingesttest.Equal(t, "shutdown", byID["toolu_r5"].Verdict, ingest.Denied)
}

func TestSampleAsk(t *testing.T) {
	s := sample(t, "04-ask", "0004")
	ingesttest.Equal(t, "prompts", ingesttest.Texts(s, ingest.Prompt, false),
		[]string{"Plan the index.", "Call it recall, short and clear."})
	byID := ingesttest.Calls(s)
	type answer struct {
		Question string
		Chosen   []string
		Free     bool
		Notes    string
	}
	var got []answer
	for _, a := range byID["toolu_q1"].Answers {
		got = append(got, answer{a.Question, a.Chosen, a.Free, a.Notes})
	}
	ingesttest.Equal(t, "answers", got, []answer{
		{"Which store should hold the index?", []string{"SQLite (Recommended)"}, false, "schema must stay portable"},
		{"Which exports do you need?", []string{"Markdown", "JSON, one file"}, false, ""},
		{"What is the retention?", []string{"keep it as long as the source exists"}, true, ""},
	})
	ingesttest.Equal(t, "options", byID["toolu_q1"].Answers[0].Options[1].Label, "Postgres")
	ingesttest.Equal(t, "clarification", byID["toolu_q2"].Verdict, ingest.Clarify)
	ingesttest.Equal(t, "its answers", len(byID["toolu_q2"].Answers), 0)
	ingesttest.Equal(t, "timed out", len(byID["toolu_q3"].Answers), 0)
}

func TestSampleAskOldText(t *testing.T) {
	s := sample(t, "04-ask", "00f4")
	for _, c := range ingesttest.Calls(s) {
		if len(c.Answers) != 1 {
			t.Fatalf("got %d answers, want 1", len(c.Answers))
		}
		a := c.Answers[0]
		ingesttest.Equal(t, "question", a.Question, `The hook "lint" fails on old code. Proceed how?`)
		ingesttest.Equal(t, "answer", a.Chosen, []string{"main was clean; fix it"})
		ingesttest.Equal(t, "free", a.Free, true)
	}
}

func TestSamplePlan(t *testing.T) {
	s := sample(t, "05-plan", "0005")
	ingesttest.Equal(t, "prompts", len(ingesttest.Texts(s, ingest.Prompt, false)), 1)
	byID := ingesttest.Calls(s)
	no := byID["toolu_p1"]
	ingesttest.Equal(t, "refused", no.Verdict, ingest.Rejected)
	ingesttest.Equal(t, "reason", no.Reason, "no watcher, poll every minute; it must work on network shares")
	if no.Plan == nil || !strings.Contains(no.Plan.Text, "fsnotify") {
		t.Errorf("refused plan: got %+v, want one with fsnotify", no.Plan)
	}
	yes := byID["toolu_p2"]
	ingesttest.Equal(t, "approved", yes.Verdict, ingest.Approved)
	if yes.Plan == nil {
		t.Fatal("approved plan: got none")
	}
	for _, line := range []string{
		"Poll the folder every minute", "Parse only changed files (size, mtime)",
		"Keep payloads when the source is gone",
	} {
		if !strings.Contains(yes.Plan.Text, line) {
			t.Errorf("approved plan: got %q, want a line %q", yes.Plan.Text, line)
		}
	}
	ingesttest.Equal(t, "plan file", yes.Plan.File, "/home/ann/.claude/plans/quiet-amber-fox.md")
	ingesttest.Equal(t, "left plan mode", byID["toolu_p3"].Verdict, ingest.Unasked)
	ingesttest.Equal(t, "no plan", byID["toolu_p3"].Plan == nil, true)
	type task struct{ ID, Subject, Status string }
	var got []task
	for _, k := range s.Tasks {
		got = append(got, task{k.ID, k.Subject, k.Status})
	}
	if len(got) != 2 || got[0].Status != "completed" || got[1].Status != "pending" {
		t.Errorf("tasks: got %v, want #1 completed and #2 pending", got)
	} else {
		ingesttest.Equal(t, "open task", got[1], task{"2", "Keep payloads when source is gone", "pending"})
	}
}

func TestSampleTruncated(t *testing.T) {
	s := sample(t, "06-truncated", "0006")
	r := s.Report
	ingesttest.Equal(t, "records", r.Records, 7)
	ingesttest.Equal(t, "unknown", r.Unknown, map[string]int{"future-thing": 1})
	ingesttest.Equal(t, "skipped", r.SkippedTotal, 1)
	ingesttest.Equal(t, "skipped line", r.Skipped[0].Line, 5)
	ingesttest.Equal(t, "prompts", ingesttest.Texts(s, ingest.Prompt, false), []string{
		"First prompt.", "Second prompt with a lone surrogate \ufffd and a NUL  inside.", "Third prompt.",
		"caf\ufffd in Latin-1",
	})
	ingesttest.Equal(t, "messages", ingesttest.Texts(s, ingest.Message, false),
		[]string{"First answer.", "Second answer."})
	if r.Tail == nil {
		t.Fatal("got no partial tail")
	}
	raw, err := os.ReadFile(filepath.Join(samples,
		"06-truncated/projects/-home-ann-app/b0000006-0000-4000-8000-000000000006.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	ingesttest.Equal(t, "tail's offset", r.Tail.Offset, int64(strings.LastIndexByte(string(raw), '\n')+1))
	ingesttest.Equal(t, "tail's line", r.Tail.Line, 10)
}

func TestSampleSplit(t *testing.T) {
	s := sample(t, "07-split", "0007")
	ingesttest.Equal(t, "prompts", ingesttest.Texts(s, ingest.Prompt, false),
		[]string{"Read both files and compare.", "And check c.txt too."})
	ingesttest.Equal(t, "messages", ingesttest.Texts(s, ingest.Message, false),
		[]string{"I read both files.", "They differ: alpha and beta."})
	ingesttest.Equal(t, "events", ingesttest.Texts(s, ingest.Event, false), []string{"API Error: Rate limit reached"})
	ingesttest.Equal(t, "repaired", s.Report.Repaired, 0)
	ingesttest.Equal(t, "tokens", s.Usage.Output, 129)
	first := s.Turns[1]
	ingesttest.Equal(t, "thinking", first.Thinking, "Two reads.")
	ingesttest.Equal(t, "result as a string", first.Calls[0].Result, "     1→alpha")
	ingesttest.Equal(t, "result as blocks", first.Calls[1].Result, "     1→beta")
	ingesttest.Equal(t, "queued", s.Turns[3].Queued, true)
	if len(s.Subagents) != 1 {
		t.Fatalf("got %d sub-agents, want 1", len(s.Subagents))
	}
	ingesttest.Equal(t, "sub-agent", []string{s.Subagents[0].ID, s.Subagents[0].Type}, []string{"a1b2c3d", "Explore"})
	ingesttest.Equal(t, "its turns", len(s.Subagents[0].Turns), 2)
}
