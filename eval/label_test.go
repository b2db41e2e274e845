package eval_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"recall/distill/offline"
	"recall/eval"
	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/ingest/cowork"
	"recall/payload"
	"recall/redact"
)

type labelled struct {
	found ingest.Found
	p     *payload.Payload
}

// sampleSessions are the bundled sessions with their payloads, secrets taken out.
func sampleSessions(t *testing.T) []labelled {
	t.Helper()
	rules := redact.New()
	dir := samples(t)
	var all []labelled
	for _, r := range []ingest.Reader{claudecode.Reader{}, cowork.Reader{}} {
		found, problems := r.Find(context.Background(), dir, nil)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		for _, f := range found {
			s, err := r.Parse(context.Background(), f)
			if err != nil {
				t.Fatal(err)
			}
			s.MapText(rules.Session().Text)
			p, err := offline.Distiller{}.Distill(context.Background(), s)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, labelled{f, p})
		}
	}
	if len(all) != 12 {
		t.Fatalf("got %d sample sessions, want 12", len(all))
	}
	return all
}

// What is proposed is sound as it is, every item of it, and must be found.
func TestLabelProposesWhatHolds(t *testing.T) {
	dir, items := t.TempDir(), 0
	for _, s := range sampleSessions(t) {
		g := eval.Label(s.found, s.p)
		if len(g.Items) != len(s.p.Items) {
			t.Errorf("%s: %d items proposed, want all %d", s.found.ID, len(g.Items), len(s.p.Items))
		}
		items += len(g.Items)
		for _, it := range g.Items {
			if !it.Must {
				t.Errorf("%s: %s isn't must", s.found.ID, it.ID)
			}
		}
		data, err := g.Encode()
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, string(s.found.ID)+".gold.json"), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if items < 50 {
		t.Errorf("%d items proposed of all samples, want more", items)
	}
	set, err := eval.LoadSet(dir)
	if err != nil {
		t.Fatal(err)
	}
	c, err := eval.Gather(t.Context(), set, eval.Options{From: samples(t)})
	if err != nil || len(c.Cases) != 12 || len(c.Problems)+len(set.Notices) > 0 {
		t.Errorf("got %v, %v, %v, want 12 sessions and nothing wrong with them", err, c.Problems, set.Notices)
	}
}
