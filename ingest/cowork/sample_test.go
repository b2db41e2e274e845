package cowork

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	"recall/ingest/ingesttest"
)

const sampleRoot = "../testdata/samples/08-cowork/local-agent-mode-sessions"

func TestSampleWhole(t *testing.T) {
	all := ingesttest.All(t, Reader{}, sampleRoot)
	if len(all) != 3 {
		t.Fatalf("got %d sessions, want 3: %v", len(all), all)
	}
	s := all["local_c0000000-0000-4000-8000-00000000000c"]
	if s == nil {
		t.Fatal("session c is missing")
	}
	if s.Title != "Vendor comparison" || s.TitleFrom != "record" {
		t.Errorf("got title %q from %s, want that of the record", s.Title, s.TitleFrom)
	}
	if want := time.Date(2026, 8, 3, 8, 59, 50, 0, time.UTC); !s.Start.Equal(want) {
		t.Errorf("start %v, want %v", s.Start, want)
	}
	if p := ingest.ProjectOf(s, nil); p.Root != "/Users/ann/Documents/Vendors" || s.Where.Space != "Procurement" {
		t.Errorf("project %+v, space %q", p, s.Where.Space)
	}
	want := []string{"We only consider vendors with EU hosting.", "Compare the two offers and pick one."}
	if diff := cmp.Diff(want, ingesttest.Texts(s, ingest.Prompt, false)); diff != "" {
		t.Errorf("prompts, -want +got:\n%s", diff)
	}
	if got := s.Turns[0]; got.From != "audit" || got.File != "audit.jsonl" || got.Line != 1 {
		t.Errorf("the first prompt is from %s, %s:%d; want audit, audit.jsonl:1", got.From, got.File, got.Line)
	}
	if got := len(ingesttest.Texts(s, ingest.Message, false)); got != 6 {
		t.Errorf("%d messages, want 6", got)
	}
	for _, turn := range s.Turns {
		if strings.HasPrefix(turn.Text, "Compare") {
			if len(turn.Uploads) != 1 || !strings.HasSuffix(turn.Uploads[0],
				"offer-a.pdf") || turn.From != "transcript" {
				t.Errorf("uploads %v from %s, want offer-a.pdf from the transcript", turn.Uploads, turn.From)
			}
		}
	}
	if diff := cmp.Diff([]ingest.SessionID{"c1000000-0000-4000-8000-0000000000c1"}, s.Aliases); diff != "" {
		t.Errorf("aliases, -want +got:\n%s", diff)
	}
	if s.Archived || s.Helper || s.TranscriptMissing || s.Parent != nil || len(s.Report.Conflicts) > 0 {
		t.Errorf("unexpected: archived %v, helper %v, missing %v, parent %v, conflicts %v", s.Archived, s.Helper,
			s.TranscriptMissing, s.Parent, s.Report.Conflicts)
	}
	if s.Cost != 0.21 {
		t.Errorf("cost %v, want 0.21", s.Cost)
	}
}

func TestSampleCalls(t *testing.T) {
	s := ingesttest.All(t, Reader{}, sampleRoot)["local_c0000000-0000-4000-8000-00000000000c"]
	calls := map[string]ingest.ToolCall{}
	rejected := 0
	for _, turn := range s.Turns {
		for _, c := range turn.Calls {
			calls[c.ID] = c
			if c.Verdict == ingest.Rejected {
				rejected++
			}
		}
	}
	if len(calls) != 4 || rejected != 1 {
		t.Errorf("%d calls, %d rejected; want 4 and 1", len(calls), rejected)
	}
	if got := calls["toolu_w1"].HostPath; got != "/Users/ann/Documents/Vendors/offer-b.md" {
		t.Errorf("host path %q", got)
	}
	ask := calls["toolu_w2"].Answers
	if len(ask) != 1 || ask[0].Question != "Which offer do we take?" || !cmp.Equal(ask[0].Chosen,
		[]string{"Offer A"}) ||
		ask[0].Notes != "support matters" {
		t.Errorf("answers %+v", ask)
	}
	if v := calls["toolu_w2"].Verdict; v != ingest.Unasked {
		t.Errorf("an answered question has the verdict %q", v)
	}
	rm := calls["toolu_w3"]
	if rm.Verdict != ingest.Rejected || rm.Reason != "keep the losing offer for the record" ||
		!strings.HasSuffix(rm.Command, "/offer-b.md") {
		t.Errorf("rm: %q %q %q", rm.Verdict, rm.Reason, rm.Command)
	}
	write := calls["toolu_w4"]
	storage, _ := filepath.Abs(filepath.Join(sampleRoot, "0a000000-0000-4000-8000-00000000000a",
		"0b000000-0000-4000-8000-00000000000b", string(s.ID)))
	if want := filepath.Join(storage, "outputs", "decision.md"); write.HostPath != want {
		t.Errorf("write: host path %q, want %q", write.HostPath, want)
	}
	refs := map[string][]string{}
	for _, r := range s.Outputs {
		refs["outputs"] = append(refs["outputs"], r.Name)
	}
	for _, r := range s.Uploads {
		refs["uploads"] = append(refs["uploads"], r.Name)
	}
	if diff := cmp.Diff(map[string][]string{"outputs": {"decision.md", "local_trap.json"}, "uploads": {"offer-a.pdf"}},
		refs); diff != "" {
		t.Errorf("files, -want +got:\n%s", diff)
	}
}

func TestSampleAuditOnly(t *testing.T) {
	s := ingesttest.All(t, Reader{}, sampleRoot)["local_d0000000-0000-4000-8000-00000000000d"]
	type turn struct {
		Kind ingest.TurnKind
		Text string
	}
	var got []turn
	for _, x := range s.Turns {
		got = append(got, turn{x.Kind, x.Text})
	}
	want := []turn{
		{ingest.Prompt, "Where do we move? We decided on Leipzig, not Berlin."},
		{ingest.Message, "Leipzig, then. I look for offices."},
		{ingest.Interrupt, "[Stopped by the person]"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("turns, -want +got:\n%s", diff)
	}
	if !s.Archived || s.TranscriptMissing || s.Title != "Office move" {
		t.Errorf("archived %v, missing %v, title %q", s.Archived, s.TranscriptMissing, s.Title)
	}
	if got := s.Report; got.Duplicates != 1 || got.Lines != 7 || got.Ignored["audit sub-agent assistant"] != 1 ||
		got.Ignored["injected context"] != 1 {
		t.Errorf("report %+v", got)
	}
}

func TestSampleRecordOnly(t *testing.T) {
	s := ingesttest.All(t, Reader{}, sampleRoot)["local_e0000000-0000-4000-8000-00000000000e"]
	if s.Title != "Draft the tender." || s.TitleFrom != "prompt" || !s.TranscriptMissing || len(s.Turns) != 0 {
		t.Errorf("title %q from %s, missing %v, %d turns", s.Title, s.TitleFrom, s.TranscriptMissing, len(s.Turns))
	}
	if want := time.UnixMilli(1785900000000).UTC(); !s.Start.Equal(want) || !s.End.Equal(want) {
		t.Errorf("from %v to %v, want %v", s.Start, s.End, want)
	}
}

// Any place from which one can point at sessions finds them, each once.
func TestFindFromAnywhere(t *testing.T) {
	account := filepath.Join(sampleRoot, "0a000000-0000-4000-8000-00000000000a", "0b000000-0000-4000-8000-00000000000b")
	c := filepath.Join(account, "local_c0000000-0000-4000-8000-00000000000c")
	for path, want := range map[string]int{
		"../testdata/samples":           3,
		filepath.Dir(sampleRoot):        3,
		sampleRoot:                      3,
		filepath.Dir(account):           3,
		account:                         3,
		c:                               1,
		c + ".json":                     1,
		filepath.Join(c, "audit.jsonl"): 1,
		filepath.Join(c, ".claude"):     1,
		filepath.Join(c, ".claude", "projects", "-sessions-calm-bright-noether",
			"c1000000-0000-4000-8000-0000000000c1.jsonl"): 1,
		filepath.Join(c, "outputs"):                           0,
		filepath.Join(c, "outputs", "local_trap.json"):        0,
		filepath.Join(account, "spaces.json"):                 0,
		filepath.Join(sampleRoot, "..", "..", "01-branching"): 0,
	} {
		found, problems := Reader{}.Find(context.Background(), path, nil)
		if len(found) != want || len(problems) != 0 {
			t.Errorf("%s: %d sessions, problems %v; want %d and none", path, len(found), problems, want)
		}
	}
}

func TestHead(t *testing.T) {
	found, _ := Reader{}.Find(context.Background(), sampleRoot, nil)
	for _, f := range found {
		h, err := Reader{}.Head(context.Background(), f)
		if err != nil || h.ID != f.ID {
			t.Errorf("%s: head %+v, %v", f.ID, h, err)
		}
		if empty := strings.HasPrefix(string(f.ID), "local_e"); h.Empty != empty || h.Started.IsZero() ||
			len(h.Keys) == 0 != empty {
			t.Errorf("%s: head %+v", f.ID, h)
		}
	}
}

// A record that is known isn't opened again.
func TestFindOpensNothingKnown(t *testing.T) {
	asked := 0
	seen := func(path string, size int64, mod time.Time) (ingest.SessionID, bool) {
		asked++
		return ingest.SessionID(strings.TrimSuffix(filepath.Base(path), ".json")), true
	}
	if found, _ := (Reader{}).Find(context.Background(), sampleRoot, seen); len(found) != 3 || asked != 3 {
		t.Errorf("%d found, asked for %d; want 3 and 3", len(found), asked)
	}
}
