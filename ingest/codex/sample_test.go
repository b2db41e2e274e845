package codex

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recall/ingest"
	"recall/ingest/ingesttest"
)

const (
	samples = "../testdata/samples/09-codex"
	main    = "01a00000-0000-7000-8000-00000000000a"
	fork    = "01a00000-0000-7000-8000-00000000000b"
	agent   = "01a00000-0000-7000-8000-00000000000c"
	paged   = "01a00000-0000-7000-8000-00000000000d"
	oldest  = "01a00000-0000-7000-8000-00000000000e"
)

// copyHome is the samples' folder, to be changed.
func copyHome(t *testing.T) string {
	t.Helper()
	home := filepath.Join(t.TempDir(), ".codex")
	if err := os.CopyFS(home, os.DirFS(samples)); err != nil {
		t.Fatal(err)
	}
	return home
}

func rollouts(t *testing.T, home, end string) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(home, "sessions", "*", "*", "*", "*"+end+".jsonl"))
	if err != nil || len(all) != 1 {
		t.Fatalf("%s: got %v, %v", end, all, err)
	}
	return all[0]
}

func TestProvenance(t *testing.T) {
	s := ingesttest.All(t, Reader{}, samples)[main]
	ingesttest.Equal(t, "unknown", s.Report.Unknown, map[string]int{"event future_event": 1, "future_thing": 1,
		"response_item future_item": 1})
	if s.Report.Tail == nil || s.Report.SkippedTotal != 0 {
		t.Errorf("got tail %v and %d skipped, want the half line as the tail", s.Report.Tail, s.Report.SkippedTotal)
	}
	for i := range s.Turns {
		turn := &s.Turns[i]
		for _, theirs := range []string{"Kafka", "environment_context", "Filesystem sandboxing", "turn_aborted",
			"subagent_notification", "IDE setup", "Redis here"} {
			if strings.Contains(turn.Text, theirs) {
				t.Errorf("turn %d says %q, which nobody typed or said: %q", turn.N, theirs, turn.Text)
			}
		}
	}
	if s.Turns[1].Thinking == "" {
		t.Error("the summary of the reasoning is lost")
	}
	ingesttest.Equal(t, "tokens", s.Usage, ingest.Usage{Input: 8000, Output: 350, CacheRead: 13000})
}

func TestCalls(t *testing.T) {
	s := ingesttest.All(t, Reader{}, samples)[main]
	by := ingesttest.Calls(s)
	ingesttest.Equal(t, "edited", by["call_a5/1"].Edits,
		[]ingest.Edit{{Old: "\tack(id)\n\tcommit(id)\n", New: "\tcommit(id)\n\tack(id)\n"}})
	ingesttest.Equal(t, "deleted", by["call_a5/2"].Name+" "+by["call_a5/2"].Path, "delete_file internal/old_ack.go")
	ingesttest.Equal(t, "refused", by["call_a6"].Verdict, ingest.Rejected)
	ingesttest.Equal(t, "reason", by["call_a6"].Reason,
		"Never delete the spool, it holds deliveries that were not sent yet.")
	ingesttest.Equal(t, "patch that failed", by["call_b2"].Failed, true)
	ingesttest.Equal(t, "written by a command", by["call_b3"].Failed, false)
	ingesttest.Equal(t, "ended later", by["call_b4"].Result, "Exit code 2\nsoaking\nerror: spool is full")
	ingesttest.Equal(t, "commit", by["call_a8"].Commit, "9c8b7a6")
	ingesttest.Equal(t, "answer", by["call_a4"].Answers[0].Chosen, []string{"SQLite"})
	ingesttest.Equal(t, "sub-agent's call", s.Subagents[0].Call, "call_b1")
	ingesttest.Equal(t, "sub-agent's turns", len(s.Subagents[0].Turns), 3)
	var open []string
	for _, task := range s.Tasks {
		if task.Status != "completed" {
			open = append(open, task.Subject)
		}
	}
	ingesttest.Equal(t, "open tasks", open, []string{"Document the retry limit"})
}

func TestPlanIsAgreedTo(t *testing.T) {
	s := ingesttest.All(t, Reader{}, samples)[paged]
	var plans []string
	for _, c := range ingest.EachCall(s.Turns) {
		if c.Plan != nil {
			plans = append(plans, string(c.Verdict)+" "+strings.SplitN(c.Plan.Text, "\n", 2)[0])
		}
	}
	ingesttest.Equal(t, "plans", plans, []string{"approved # Export orders as CSV"})
	ingesttest.Equal(t, "what the client said for the person", s.Turns[2].Kind, ingest.Event)
	ingesttest.Equal(t, "tokens", s.Usage, ingest.Usage{Input: 800, Output: 40, CacheRead: 100})
}

// What a person adds to the client's sentence is theirs.
func TestPlanIsAgreedToInOwnWords(t *testing.T) {
	for text, kind := range map[string]ingest.TurnKind{
		"Implement the plan.": ingest.Event,
		"Implement the plan. If this thread has no active goal, make": ingest.Event,
		"Implement the plan. But never use floats for money.":         ingest.Prompt,
	} {
		s := parseBytes(t, []byte(message("user", "Plan it.")+
			message("assistant", "<proposed_plan>Stream rows</proposed_plan>")+message("user", text)))
		last := s.Turns[len(s.Turns)-1]
		ingesttest.Equal(t, text, last.Kind, kind)
		ingesttest.Equal(t, text, s.Turns[1].Calls[0].Verdict, ingest.Approved)
	}
}

func TestFork(t *testing.T) {
	all := ingesttest.All(t, Reader{}, samples)
	for _, order := range [][]*ingest.Session{{all[main], all[fork]}, {all[fork], all[main]}} {
		ingest.Own(order)
		ingesttest.Equal(t, "parent", all[fork].Parent, &ingest.Parent{Session: main, How: ingest.HowBranch, Turns: 13})
		for i := range all[main].Turns {
			if all[main].Turns[i].Copied {
				t.Errorf("turn %d of the parent counts as a copy", i+1)
			}
		}
	}
	found, _ := Reader{}.Find(context.Background(), samples, nil)
	keys := map[string]int{}
	for _, f := range found {
		head, err := Reader{}.Head(context.Background(), f)
		if err != nil || head.Empty {
			t.Errorf("%s: got head %+v, %v", f.ID, head, err)
		}
		for _, k := range head.Keys {
			keys[k]++
		}
	}
	shared := 0
	for _, n := range keys {
		shared += n / 2
	}
	ingesttest.Equal(t, "keys that the fork and its parent share, and no others", shared, 1)
}

// A client that numbers its turns writes forks that are told by the thread that they name, and all said before.
func TestForkOfOldClients(t *testing.T) {
	home := copyHome(t)
	for _, end := range []string{main, fork} {
		path := rollouts(t, home, end)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		old := strings.NewReplacer(`"turn_id":"01a0aaaa-0000-7000-8000-`, `"turn_id":"`,
			`,"forked_from_id":"`+main+`"`, ``).Replace(string(text))
		if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all := ingesttest.All(t, Reader{}, home)
	ingest.Own([]*ingest.Session{all[fork], all[main]})
	ingesttest.Equal(t, "parent", all[fork].Parent, &ingest.Parent{Session: main, How: ingest.HowBranch, Turns: 13})
}

// A thread that was taken back goes on in another file.
func TestTakenBack(t *testing.T) {
	home := copyHome(t)
	later := `{"timestamp":"2026-09-14T11:00:00.000Z","ordinal":9,"type":"session_meta","payload":{"id":"` + paged +
		`","timestamp":"2026-09-14T11:00:00.000Z","cwd":"/home/ann/shop","cli_version":"0.155.0",` +
		`"history_base":{"thread_id":"` + paged + `","end_ordinal_exclusive":9}}}` + "\n" +
		`{"timestamp":"2026-09-14T11:00:05.000Z","ordinal":10,"type":"response_item",` +
		`"payload":{"type":"message","role":"user",` +
		`"content":[{"type":"input_text","text":"Export as JSON instead."}],` +
		`"internal_chat_message_metadata_passthrough":{"content_item_kinds":["user.text"]}}}` + "\n"
	name := filepath.Join(home, "archived_sessions", "rollout-2026-09-14T11-00-00-"+paged+"_"+oldest+".jsonl")
	if err := os.WriteFile(name, []byte(later), 0o600); err != nil {
		t.Fatal(err)
	}
	s := ingesttest.All(t, Reader{}, home)[paged]
	var stands []string
	for _, turn := range s.Turns {
		if !turn.Abandoned {
			stands = append(stands, turn.Text)
		}
	}
	ingesttest.Equal(t, "what stands", stands, []string{"<task>Plan the export of orders as CSV.</task>",
		"Here is the plan.", "Export as JSON instead."})
}
