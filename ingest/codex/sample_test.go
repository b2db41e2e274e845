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
		head, err := ingest.HeadOf(context.Background(), Reader{}, f)
		if err != nil || len(head.Keys) == 0 {
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
