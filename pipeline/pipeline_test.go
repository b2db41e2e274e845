package pipeline_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
	"recall/prompts"
)

// talk is a small transcript: alternating prompts and answers, a minute apart.
type talk struct {
	id    string
	start time.Time
	said  []string // the person first
	fork  *talk    // whose beginning this one copies
	turns int      // how much of it
	plan  string   // that it ends with, unanswered
	night int      // of so many turns a day has; 0: of all
}

// at is when a turn was said.
func (k talk) at(i int) time.Time {
	days := 0
	if k.night > 0 {
		days = i / k.night
	}
	return k.start.AddDate(0, 0, days).Add(time.Duration(i) * time.Minute)
}

// write puts a talk where Claude Code would, as records of its form.
func (k talk) write(t testing.TB, root string) string {
	t.Helper()
	dir := filepath.Join(root, "projects", "-home-ann-app")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	var out []byte
	parent := any(nil)
	for i, text := range k.said {
		at := k.at(i).Format("2006-01-02T15:04:05.000Z")
		owner := k.id
		if k.fork != nil && i < k.turns {
			owner = k.fork.id
		}
		id := fmt.Sprintf("%s-%04d", owner[:8], i)
		rec := map[string]any{"uuid": id, "parentUuid": parent, "sessionId": k.id, "timestamp": at, "cwd": "/home/ann/app",
			"gitBranch": "main", "version": "2.1.200", "isSidechain": false, "userType": "external"}
		if i%2 == 0 {
			rec["type"] = "user"
			rec["message"] = map[string]any{"role": "user", "content": text}
		} else {
			rec["type"] = "assistant"
			rec["message"] = map[string]any{"id": "msg_" + id, "type": "message", "role": "assistant",
				"model":   "claude-opus-4-7",
				"content": []any{map[string]any{"type": "text", "text": text}}, "stop_reason": "end_turn",
				"usage": map[string]any{"output_tokens": 10}}
		}
		if rest, ok := strings.CutPrefix(text, "Implement the following plan:\n\n"); ok {
			rec["planContent"] = rest
		}
		if k.plan != "" && i == len(k.said)-1 {
			message := rec["message"].(map[string]any)
			message["content"] = append(message["content"].([]any), map[string]any{"type": "tool_use", "id": "toolu_" + id,
				"name": "ExitPlanMode", "input": map[string]any{"plan": k.plan}})
		}
		line, err := json.Marshal(rec)
		if err != nil {
			t.Fatal(err)
		}
		out = append(append(out, line...), '\n')
		parent = id
	}
	path := filepath.Join(dir, k.id+".jsonl")
	if err := os.WriteFile(path, out, 0o600); err != nil {
		t.Fatal(err)
	}
	last := k.start.Add(time.Duration(len(k.said)) * time.Minute)
	if err := os.Chtimes(path, last, last); err != nil {
		t.Fatal(err)
	}
	return path
}

var day = time.Date(2026, 4, 13, 9, 0, 0, 0, time.UTC)

var first = talk{id: "aaaaaaaa-0000-4000-8000-000000000001", start: day, said: []string{
	"Make the job queue survive a restart. Let's go with Postgres for the queue instead of Redis, because the staging cluster has it already.",
	"The queue is in Postgres now.\n\n**Decided**: jobs are claimed with `FOR UPDATE SKIP LOCKED` rather than with advisory locks, because a crashed worker releases its row by itself.\n\nRuled out: a table lock, it blocked all workers in the load test.\n\nNext steps:\n- add the dead-letter table",
	"Use exponential backoff for retries instead of the fixed delay, we saw the thundering herd last week.",
	"Retries use exponential backoff now. I ran the tests and they pass.",
}}

func syncAll(t *testing.T, p *pipeline.Pipeline, from string) pipeline.Report {
	t.Helper()
	r, err := p.Sync(context.Background(), pipeline.Options{From: []string{from}})
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range r.Problems {
		t.Errorf("skipped: %s: %s", problem.Path, problem.Reason())
	}
	return r
}

// items are all items of the library by session: kind, text and date.
// Those of the sessions named in except are left out.
func items(t *testing.T, l *library.Library, except ...string) map[string][]string {
	t.Helper()
	entries, err := l.Sessions()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for _, e := range entries {
		if slices.Contains(except, string(e.ID)) {
			continue
		}
		p, err := l.Payload(e.ID)
		if err != nil {
			t.Fatal(err)
		}
		list := []string{}
		for _, it := range p.Items {
			list = append(list, fmt.Sprintf("%s %s %s %s%s", it.ID, it.At.Format(time.RFC3339), it.Kind, it.Path, it.Text))
		}
		slices.Sort(list)
		all[string(e.ID)] = list
	}
	return all
}

func TestSyncAgainDoesNothing(t *testing.T) {
	root := t.TempDir()
	p := open(t, t.TempDir())
	path := first.write(t, root)
	r := syncAll(t, p, root)
	if r.New != 1 || r.Distilled != 1 || r.Items == 0 {
		t.Fatalf("first sync: %+v, want one session, new and distilled, with items", r)
	}
	before := items(t, p.Library)
	if r := syncAll(t, p, root); r.New+r.Grown+r.Distilled+r.Indexed != 0 {
		t.Errorf("second sync did something: %+v", r)
	}
	// Grown: the old items keep their ids.
	more := first
	more.said = append(slices.Clone(first.said), "Also keep failed jobs for 30 days.", "Failed jobs are kept for 30 days.")
	more.write(t, root)
	if r := syncAll(t, p, root); r.Grown != 1 || r.Distilled != 1 {
		t.Errorf("sync of a grown session: %+v", r)
	}
	after := items(t, p.Library)[first.id]
	for _, it := range before[first.id] {
		if strings.Contains(it, " decision ") && !slices.Contains(after, it) {
			t.Errorf("after growth %q is gone from %q", it, after)
		}
	}
	// Vanished: what was kept stays.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	syncAll(t, p, root)
	if d := cmp.Diff(after, items(t, p.Library)[first.id]); d != "" {
		t.Errorf("a vanished source changed the items: %s", d)
	}
}

// A handed-on payload yields no items of its own, however often.
func TestFiveTimesThroughItsOwnPayload(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short, and a long walk of one goroutine")
	}
	for _, how := range []string{"marked", "pasted without markers", "read on a terminal", "quoted without markers",
		"restated by the assistant", "told in other words"} {
		t.Run(how, func(t *testing.T) {
			root := t.TempDir()
			p := open(t, t.TempDir())
			first := first
			first.said = append(slices.Clone(first.said), "Leave the dashboard out of scope for now.",
				"Noted.\n\nRemaining work:\n- write the manual")
			first.write(t, root)
			syncAll(t, p, root)
			want := items(t, p.Library)[first.id]
			composed := compose(t, p)
			for i := range 5 {
				text := payload.Render(compose(t, p), payload.Options{}).Text
				reply := "Understood. I would start with the next action."
				switch how {
				case "pasted without markers", "quoted without markers":
					lines := strings.Split(strings.TrimSpace(text), "\n")
					text = strings.Join(lines[1:len(lines)-1], "\n")
					if how == "quoted without markers" {
						text = "> " + strings.ReplaceAll(text, "\n", "\n> ")
					}
				case "read on a terminal":
					text = payload.WithoutMarkers(text)
				case "told in other words":
					reply = "My understanding: the dashboard is out of scope for now. Next I would write the manual."
				case "restated by the assistant":
					lines := strings.Split(strings.TrimSpace(text), "\n")
					reply = "My understanding:\n\n" + strings.Join(lines[4:len(lines)-1], "\n") +
						"\n\nI would start with the next action."
				}
				again := talk{id: fmt.Sprintf("bbbbbbb%d-0000-4000-8000-000000000001", i), start: day.AddDate(0, 0, i+1),
					said: []string{text + "\n" + prompts.Confirm.Text(), reply}}
				again.write(t, root)
				syncAll(t, p, root)
				for id, got := range items(t, p.Library) {
					if id == first.id {
						if d := cmp.Diff(want, got); d != "" {
							t.Fatalf("round %d changed the first session's items: %s", i+1, d)
						}
					} else if len(got) > 0 {
						t.Fatalf("round %d: session %s has items of its own: %q", i+1, id, got)
					}
				}
				if d := cmp.Diff(composed.Items, compose(t, p).Items); d != "" {
					t.Fatalf("round %d changed what is handed on: %s", i+1, d)
				}
			}
		})
	}
}

// compose is what is handed on: with the index what it is by the library alone.
func compose(t *testing.T, p *pipeline.Pipeline) *payload.Payload {
	t.Helper()
	with := composeBy(t, p.Library, p.Index)
	if d := cmp.Diff(composeBy(t, p.Library, nil), with); d != "" {
		t.Errorf("the index has another payload handed on: %s", d)
	}
	return with
}

func composeBy(t *testing.T, l *library.Library, x *index.Index) *payload.Payload {
	t.Helper()
	entries, err := l.Sessions()
	if err != nil {
		t.Fatal(err)
	}
	threads, err := pipeline.Threads(t.Context(), l, x, entries)
	if err != nil {
		t.Fatal(err)
	}
	if len(threads) != 1 {
		t.Fatalf("%d threads, want one", len(threads))
	}
	p, err := pipeline.NextPayload(t.Context(), l, x, entries[0].Project, "", "")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestHandEditWins(t *testing.T) {
	root := t.TempDir()
	p := open(t, t.TempDir())
	first.write(t, root)
	syncAll(t, p, root)
	e, err := p.Library.Session(ingest.SessionID(first.id))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(e.Folder, "payload.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	edited := string(text)
	at := strings.Index(edited, "\n## In their own words (as of then: may be done or changed since)\n")
	if at < 0 {
		t.Fatalf("no decision in\n%s", edited)
	}
	at += len("\n## In their own words (as of then: may be done or changed since)\n")
	end := at + strings.Index(edited[at:], "\n")
	edited = edited[:at] + "- The queue is Postgres and stays so.\n- Ask before adding a dependency." + edited[end:]
	if err := os.WriteFile(path, []byte(edited), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := syncAll(t, p, root); r.Edited != 1 {
		t.Errorf("sync after an edit: %+v, want one edited", r)
	}
	more := first
	more.said = append(slices.Clone(first.said), "Also keep failed jobs for 30 days.", "Failed jobs are kept for 30 days.")
	more.write(t, root)
	syncAll(t, p, root)
	text, err = os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"The queue is Postgres and stays so.", "Ask before adding a dependency."} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is gone from\n%s", want, text)
		}
	}
}

// A session that can't be read costs no other.
func TestBadSessionIsSkipped(t *testing.T) {
	if os.Getuid() == 0 {
		t.Log("running as root: an unreadable file can't be made; a folder stands in")
	}
	root := t.TempDir()
	p := open(t, t.TempDir())
	first.write(t, root)
	bad := filepath.Join(root, "projects", "-home-ann-app", "dddddddd-0000-4000-8000-000000000001.jsonl")
	if err := os.WriteFile(bad, []byte("\x00\x01\x02not a transcript\n{\"type\":\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := p.Sync(context.Background(), pipeline.Options{From: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	if got := items(t, p.Library)[first.id]; len(got) == 0 {
		t.Errorf("the good session has no items; report %+v", r)
	}
	if len(r.Unread) == 0 && len(r.Problems) == 0 {
		t.Errorf("nothing is said of the bad file: %+v", r)
	}
}
