package offline

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/distill"
	"recall/ingest"
	"recall/payload"
)

// session makes a session of turns, numbered and dated in order.
func session(turns ...ingest.Turn) *ingest.Session {
	s := &ingest.Session{ID: "s1", Source: ingest.ClaudeCode, Start: time.Date(2026, 4, 17, 9, 0, 0, 0, time.UTC)}
	s.Where.Cwds = []ingest.CwdCount{{Dir: "/home/ann/app", Turns: 3}}
	for i, t := range turns {
		t.N = i + 1
		t.ID = ingest.TurnID("t" + string(rune('a'+i)))
		t.Records = []string{string(t.ID)}
		t.At = s.Start.Add(time.Duration(i) * time.Minute)
		if t.Role == "" {
			t.Role = ingest.Assistant
		}
		if t.Kind == "" {
			t.Kind = ingest.Message
			if t.Role == ingest.User {
				t.Kind = ingest.Prompt
			}
		}
		s.Turns = append(s.Turns, t)
	}
	return s
}

func user(text string) ingest.Turn { return ingest.Turn{Role: ingest.User, Text: text} }
func says(text string, calls ...ingest.ToolCall) ingest.Turn {
	return ingest.Turn{Role: ingest.Assistant, Text: text, Calls: calls}
}

func edit(path string) ingest.ToolCall {
	return ingest.ToolCall{Name: "Edit", Path: path, Done: true, Edits: []ingest.Edit{{Old: "a", New: "b\nc"}}, Input: map[string]string{}}
}

// of lists a distilled session's items of a kind, each as one line.
func of(t *testing.T, s *ingest.Session, kind payload.Kind) []string {
	t.Helper()
	p, err := Distiller{}.Distill(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, it := range p.Items {
		if it.Kind != kind {
			continue
		}
		line := it.Text
		if it.Path != "" {
			line = it.Path + " | " + it.Status
		}
		if it.Why != "" {
			line += " | " + it.Why
		}
		if len(it.Alternatives) > 0 {
			line += " | not " + strings.Join(it.Alternatives, ", ")
		}
		out = append(out, line)
	}
	return out
}

func TestAnswers(t *testing.T) {
	ask := func(chosen string) ingest.ToolCall {
		return ingest.ToolCall{Name: "AskUserQuestion", Done: true, Answers: []ingest.Answer{{Question: "Which store?", Header: "Store",
			Options: []ingest.Option{{Label: "SQLite (Recommended)", Description: "one file"}, {Label: "Postgres", Description: "a server"}},
			Chosen:  []string{chosen}, Notes: "keep the schema portable"}}}
	}
	s := session(user("Add a store for the sessions."), says("", ask("Postgres")), says("", ask("SQLite (Recommended)")), says("Done."))
	want := []string{"Store: SQLite (one file). | keep the schema portable | not Postgres"}
	if d := cmp.Diff(want, of(t, s, payload.Decision)); d != "" {
		t.Errorf("the last answer counts (-want +got):\n%s", d)
	}
	clarified := ask("SQLite")
	clarified.Verdict = ingest.Clarify
	none := session(user("Add a store for the sessions."), says("", clarified))
	if got := of(t, none, payload.Decision); len(got) != 0 {
		t.Errorf("a question talked about first: got %v, want nothing", got)
	}
}

func TestTasks(t *testing.T) {
	s := session(user("Build the importer for the price lists."), says("Two things are left."))
	s.Tasks = []ingest.Task{
		{ID: "1", Subject: "Parse the header", Status: "completed", Turn: "tb"},
		{ID: "2", Subject: "Check the currency", Status: "pending", Turn: "tb"},
		{ID: "3", Subject: "Write the loader", Detail: "one transaction a file", Status: "in_progress", Turn: "tb"},
	}
	s.Turns[1].Calls = []ingest.ToolCall{{Name: "TaskCreate", Input: map[string]string{"subject": "Write the loader", "other": "Check the currency"}}}
	want := []string{"Write the loader: one transaction a file.", "Check the currency."}
	if d := cmp.Diff(want, of(t, s, payload.Next)); d != "" {
		t.Errorf("open tasks, the one in progress first (-want +got):\n%s", d)
	}
}

func TestFiles(t *testing.T) {
	refused := edit("/home/ann/app/go.mod")
	refused.Done, refused.Verdict = false, ingest.Rejected
	s := session(user("Put the cache behind the lookup, don't touch internal/refund."),
		says("", edit("/home/ann/app/cache/lru.go"), edit("/home/ann/app/cache/lru.go"), refused, edit("/tmp/x.go")),
		says("Done.\n- `cache/lru.go`: bounded LRU with 10,000 entries"))
	got := of(t, s, payload.File)
	want := []string{"internal/refund | OFF LIMITS", "cache/lru.go | DONE"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
}

// Files of Cowork's machine go by where a person finds them.
func TestFilesOfCowork(t *testing.T) {
	s := session(user("Compare the offers and write the decision down."),
		says("", edit("/sessions/calm-fox/mnt/outputs/decision.md"), edit("/sessions/calm-fox/mnt/Offers/list.md"), edit("/sessions/calm-fox/mnt/Offers/list.md")),
		says("Done.\n- `outputs/decision.md`: which offer, and why\n- `Offers/list.md`: all of them"))
	s.Where.Cwds = []ingest.CwdCount{{Dir: "/sessions/calm-fox", Turns: 3}}
	got := of(t, s, payload.File)
	slices.Sort(got)
	if d := cmp.Diff([]string{"Offers/list.md | DONE", "outputs/decision.md | DONE"}, got); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
}

func TestWhatDoesNotCount(t *testing.T) {
	text := "Use Postgres instead of Redis for the queue."
	abandoned, copied, foreign, tool := user(text), user(text), user(text), says("", ingest.ToolCall{Name: "Read", Done: true, Result: text})
	abandoned.Abandoned = true
	copied.Copied = true
	foreign.Foreign = []ingest.Foreign{{From: 0, To: len(text), Label: "recall"}}
	summary := ingest.Turn{Role: ingest.User, Kind: ingest.Summary, Text: text}
	for name, turn := range map[string]ingest.Turn{"an abandoned branch": abandoned, "a copied turn": copied, "recall's own words": foreign, "a tool's output": tool, "a summary": summary} {
		s := session(user("Please look at the logs of last night."), turn, says("The logs are clean."))
		if got := of(t, s, payload.Decision); len(got) != 0 {
			t.Errorf("%s: got %v, want no decision", name, got)
		}
	}
	if got := of(t, session(user("Please look at the logs of last night."), user(text), says("It is.")), payload.Decision); len(got) == 0 {
		t.Error("the same typed: got nothing, want a decision")
	}
}

func TestOptionPicked(t *testing.T) {
	s := session(user("Retries hammer the provider after an outage."),
		says("Two ways:\n\n1. **Exponential backoff** with jitter, five attempts.\n2. **A fixed delay** of 30 seconds.\n\nWhich one?"),
		user("1"), says("Backoff with jitter is in.", edit("/home/ann/app/retry.go")))
	h := Listen(s)
	for _, c := range h.Candidates {
		if c.pick == nil {
			continue
		}
		if got, want := c.pick.picked, strings.HasPrefix(c.Text, "Exponential"); got != want {
			t.Errorf("%q picked: got %v, want %v", c.Text, got, want)
		}
	}
	opts := optionsOf(h.talk.speeches[1])
	if len(opts) != 2 || opts[0].label != "1" || opts[1].label != "2" {
		t.Errorf("options: got %+v, want 1 and 2", opts)
	}
}

func TestSameInputSamePayload(t *testing.T) {
	s := session(user("Cache the price lookups. Start with Redis."), says("I'll add a Redis client."),
		user("No Redis. We go with an in-process LRU cache, we do not want another server to run."), says("The LRU cache is in."))
	first, _ := Distiller{}.Distill(context.Background(), s)
	for range 20 {
		again, _ := Distiller{}.Distill(context.Background(), s)
		if d := cmp.Diff(first, again); d != "" {
			t.Fatalf("distilled again (-first +again):\n%s", d)
		}
	}
}

func FuzzDistill(f *testing.F) {
	f.Add("1. a\n2. b\n\nwhich?", "2")
	f.Add("**Decided**: `x` – instead of y, because\n\n> q\n\n```\ncode", "no, don't. \xff\xfe use ü instead of (")
	f.Fuzz(func(t *testing.T, said, typed string) {
		s := session(user(typed), says(said), user(typed), says(said))
		p, err := Distiller{}.Distill(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		if n := p.Dropped; n[distill.DropQuote]+n[distill.DropNoTurn]+n[distill.DropNoEvidence]+n[distill.DropLong]+n[distill.DropForeign] > 0 {
			t.Errorf("dropped %v for %q and %q: a rule quotes what isn't there", p.Dropped, said, typed)
		}
	})
}
