package pipeline

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/distill/offline"
	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/library/received"
	"recall/payload"
)

// Of another person's handoff only what somebody here took over is handed on, in
// its project only; goal and next where it is newer than the thread.
func TestWithReceived(t *testing.T) {
	l, err := library.Create(filepath.Join(t.TempDir(), "Recall"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	day := func(n int) time.Time { return time.Date(2026, 4, n, 12, 0, 0, 0, time.UTC) }
	theirs := &payload.Payload{Session: "theirs", Project: "billing", Start: day(1), End: day(1), Items: []payload.Item{
		{ID: "k3v9t2m8qa", Kind: payload.Decision, Text: "Min-heap", At: day(1)},
		{ID: "b7xw4c5d2e", Kind: payload.Decision, Text: "Nobody looked at this", At: day(1)},
		{ID: "5hq2n6r3ya", Kind: payload.Flag, Text: "Refused", At: day(1)},
		{ID: "w2m7f4k6tc", Kind: payload.Next, Text: "Their next step", At: day(1)},
	}}
	text, err := payload.EncodeHandover(theirs, payload.Handover{To: "Bob", From: "ann", At: day(10)})
	if err != nil {
		t.Fatal(err)
	}
	id := payload.HandoverID(text)
	if err := received.Add(l,
		received.Line{Handoff: id, Project: "p1", Text: text},
		received.Line{Handoff: id, Edits: []payload.Edit{{Op: payload.OpKeep, ID: "k3v9t2m8qa",
			Seen: payload.Fingerprint(&theirs.Items[0])}}},
		received.Line{Handoff: id, Edits: []payload.Edit{{Op: payload.OpDrop, ID: "5hq2n6r3ya"}}},
		received.Line{Handoff: id, Edits: []payload.Edit{{Op: payload.OpKeep, ID: "w2m7f4k6tc",
			Seen: payload.Fingerprint(&theirs.Items[3])}}},
	); err != nil {
		t.Fatal(err)
	}
	shown := func(end time.Time, project string) string {
		t.Helper()
		ours := payload.Compose([]*payload.Payload{{Session: "ours", Start: end, End: end, Items: []payload.Item{
			{ID: "aaaaaaaaaa", Kind: payload.Next, Text: "Our next step", At: end}}}}, nil)
		p, err := withReceived(l, ours, map[string]bool{project: true}, "")
		if err != nil {
			t.Fatal(err)
		}
		return payload.Render(p, payload.Options{Budget: -1}).Text
	}
	for _, c := range []struct {
		name, page string
		not, wants string // what must not be there; what must
	}{
		{"newer than the thread", shown(day(5), "p1"), "Our next step", "- Min-heap (from ann, Apr 1)|Their next step"},
		{"older than the thread", shown(day(20), "p1"), "Their next step", "- Min-heap (from ann, Apr 1)|Our next step"},
		{"another project", shown(day(5), "p2"), "Min-heap", "Our next step"},
	} {
		for _, want := range strings.Split(c.wants, "|") {
			if !strings.Contains(c.page, want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, c.page)
			}
		}
		for _, not := range []string{c.not, "Nobody looked", "Refused"} {
			if strings.Contains(c.page, not) {
				t.Errorf("%s: %q is in\n%s", c.name, not, c.page)
			}
		}
	}
}

// handedOver makes a library with a project "billing", and what Ann handed over to Bob for it: the item, and that the
// queue has ten workers.
func handedOver(t *testing.T, it payload.Item) (l *library.Library, project string, offer received.Line) {
	t.Helper()
	l, err := library.Create(filepath.Join(t.TempDir(), "Recall"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	in, err := l.ProjectFor(ingest.Project{Name: "billing", Root: "/home/bob/billing"})
	if err != nil {
		t.Fatal(err)
	}
	it.At = time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)
	text, err := payload.EncodeHandover(&payload.Payload{Session: "theirs", Project: "billing", Start: it.At,
		End: it.At, Items: []payload.Item{it,
			{ID: "b7xw4c5d2e", Kind: payload.Decision, Text: "Queue has ten workers", At: it.At}},
	}, payload.Handover{To: "Bob", From: "Ann B.", At: it.At})
	if err != nil {
		t.Fatal(err)
	}
	return l, in.ID, received.Line{Handoff: payload.HandoverID(text), At: it.At, Project: in.ID, Text: text}
}

// Where no session worked yet what was taken over is handed on.
func TestOnwardFromReceived(t *testing.T) {
	l, project, offer := handedOver(t,
		payload.Item{ID: "k3v9t2m8qa", Kind: payload.Goal, Text: "Drain the queue"})
	if err := received.Add(l, offer); err != nil {
		t.Fatal(err)
	}
	if p, err := NextPayload(t.Context(), l, nil, project, "main", ""); err != nil || p != nil {
		t.Fatalf("before anything was taken over: got %v, %v", p, err)
	}
	if err := received.Add(l, received.Line{Handoff: offer.Handoff,
		Edits: []payload.Edit{{Op: payload.OpPin, ID: "b7xw4c5d2e"}}}); err != nil {
		t.Fatal(err)
	}
	p, err := NextPayload(t.Context(), l, nil, project, "main", "")
	if err != nil || p == nil || len(p.Items) != 1 || p.Items[0].Text != "Queue has ten workers" ||
		p.Project != "billing" {
		t.Fatalf("got %+v, %v, want the decision alone", p, err)
	}
	page := payload.Render(p, payload.Options{Budget: -1}).Text
	if doc, err := payload.Read(page); err != nil || len(doc.Lines) != 1 {
		t.Errorf("its page reads back as %+v, %v:\n%s", doc, err, page)
	}
}

// What was taken over answers questions, with who handed it over; what wasn't
// doesn't, and a handoff counts as no session.
func TestIndexReceived(t *testing.T) {
	l, _, offer := handedOver(t,
		payload.Item{ID: "k3v9t2m8qa", Kind: payload.Decision, Text: "Queue is a min-heap"})
	ix, err := index.Open(filepath.Join(t.TempDir(), "index.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	own := index.Doc{Session: "ours", Project: "billing", Start: offer.At.Add(time.Hour),
		Items: []index.Item{{Item: payload.Item{ID: "aaaaaaaaaa", Kind: payload.Goal, Text: "Drain the queue"}}}}
	if err := ix.PutAll(t.Context(), []index.Doc{own}); err != nil {
		t.Fatal(err)
	}
	p := &Pipeline{Archiver: Archiver{Library: l, Cache: t.TempDir()}, Index: ix, Distiller: offline.Distiller{}}
	answer := func(say ...received.Line) (got []string) {
		t.Helper()
		if err := received.Add(l, say...); err != nil {
			t.Fatal(err)
		}
		if err := p.IndexReceived(t.Context()); err != nil {
			t.Fatal(err)
		}
		a, err := ix.Search(t.Context(), index.Query{Text: "queue min-heap workers", Project: "billing"})
		if err != nil {
			t.Fatal(err)
		}
		if a.SearchedSessions != 1 {
			t.Errorf("got %d sessions searched, want 1", a.SearchedSessions)
		}
		for _, h := range a.Items() {
			got = append(got, fmt.Sprintf("%s %d %s", h.Item.ID, h.SessionN, h.SessionTitle))
		}
		slices.Sort(got)
		return got
	}
	ours := "aaaaaaaaaa 1 "
	if diff := cmp.Diff([]string{ours}, answer(offer)); diff != "" {
		t.Errorf("unreviewed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{ours, "k3v9t2m8qa 0 handed over by Ann B."},
		answer(received.Line{Handoff: offer.Handoff,
			Edits: []payload.Edit{{Op: payload.OpPin, ID: "k3v9t2m8qa"}}})); diff != "" {
		t.Errorf("taken over (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{ours}, answer(received.Line{Handoff: offer.Handoff,
		Edits: []payload.Edit{{Op: payload.OpDrop, ID: "k3v9t2m8qa"}}})); diff != "" {
		t.Errorf("taken back (-want +got):\n%s", diff)
	}
}

// A quote whose subject was spoken of again counts less, but not what says where its session ended.
func TestSettle(t *testing.T) {
	later := payload.Doubt{Relation: payload.Supersedes}
	for rule, want := range map[string]float64{"said-typed": takenUpShare, payload.ReportRule: 1} {
		it := payload.Item{Kind: payload.Lead, Rule: rule, Confidence: 1}
		if settle(&it, later, nil); it.Confidence != want {
			t.Errorf("%s: %v, want %v", rule, it.Confidence, want)
		}
	}
}
