package eval_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	s     *ingest.Session
	p     *payload.Payload
}

func (l labelled) label(t *testing.T) *eval.Gold {
	t.Helper()
	g, err := eval.Label(l.found, l.s, l.p)
	if err != nil {
		t.Fatal(err)
	}
	return g
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
			all = append(all, labelled{f, s, p})
		}
	}
	if len(all) != 12 {
		t.Fatalf("got %d sample sessions, want 12", len(all))
	}
	return all
}

func writeGold(t *testing.T, g *eval.Gold) (file string) {
	t.Helper()
	data, err := g.Encode()
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "x.gold.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// What is proposed is sound as it is, every item of it; filling it in is what
// is left to do.
func TestLabelProposesWhatHolds(t *testing.T) {
	items := 0
	for _, s := range sampleSessions(t) {
		proposal := s.label(t)
		g, notices, err := eval.ReadLabelled(writeGold(t, proposal))
		if err != nil || len(notices) > 0 {
			t.Fatalf("%s: %v %v", s.found.ID, err, notices)
		}
		if faults := g.CheckTranscript(s.found); len(faults) > 0 {
			t.Errorf("%s: %v", s.found.ID, faults)
		}
		if len(g.Items) != len(s.p.Items) {
			t.Errorf("%s: %d items proposed, want all %d", s.found.ID, len(g.Items), len(s.p.Items))
		}
		items += len(g.Items)
		todo := g.Unfilled(s.p)
		for _, it := range g.Items {
			if !it.Must {
				t.Errorf("%s: %s isn't must", s.found.ID, it.ID)
			}
			waits := slices.ContainsFunc(todo, func(p eval.Problem) bool { return p.Item == it.ID })
			if it.Kind != payload.File && !waits {
				t.Errorf("%s: %s is as it was proposed, and not to do", s.found.ID, it.ID)
			}
		}
	}
	if items < 50 {
		t.Errorf("%d items proposed of all samples, want more", items)
	}
}

// Filled in by a person, nothing is left to do.
func TestLabelFilledIn(t *testing.T) {
	s := sampleSessions(t)[0]
	g := s.label(t)
	g.Summary, g.Not = "The queue moved to Postgres.", []string{"Redis holds the queue."}
	for i := range g.Items {
		g.Items[i].Text += " Certainly."
		g.Items[i].Why = "somebody said so"
	}
	if todo := g.Unfilled(s.p); len(todo) > 0 {
		t.Errorf("to do: %v, want nothing", todo)
	}
}

// Each fault is named with file and item.
func TestLabelFaults(t *testing.T) {
	s := sampleSessions(t)[0]
	for _, c := range []struct {
		name  string
		spoil func(*eval.Gold)
		want  string
	}{
		{"unknown kind", func(g *eval.Gold) { g.Items[1].Kind = "wish" }, `unknown kind "wish"`},
		{"two same ids", func(g *eval.Gold) { g.Items[1].ID = g.Items[0].ID }, "second item with this id"},
		{"no text", func(g *eval.Gold) { g.Items[1].Text = " " }, "no text"},
		{"no turns", func(g *eval.Gold) { g.Items[1].Turns = nil }, "cites no turn"},
		{"missing turn", func(g *eval.Gold) { g.Items[1].Turns = append(g.Items[1].Turns, "0000") }, "cites turn 0000"},
		{"quote that isn't there", func(g *eval.Gold) { g.Items[1].Quote = "a quokka said so" },
			"stands in none of its turns"},
		{"another session", func(g *eval.Gold) { g.Session = "0000" }, "is about session 0000"},
	} {
		g := s.label(t)
		c.spoil(g)
		file := writeGold(t, g)
		read, _, err := eval.ReadLabelled(file)
		var all []string
		if err != nil {
			all = strings.Split(err.Error(), "\n")
		}
		for _, p := range read.CheckTranscript(s.found) {
			all = append(all, p.String())
		}
		if len(all) != 1 || !strings.HasPrefix(all[0], file) || !strings.Contains(all[0], c.want) {
			t.Errorf("%s: got %q, want one fault that names the file and says %q", c.name, all, c.want)
		}
		if id := g.Items[1].ID; c.name != "another session" && !strings.Contains(strings.Join(all, ""), id) {
			t.Errorf("%s: got %q, want it to name %s", c.name, all, id)
		}
	}
}

// A file that can't be read as JSON is an error with its line, and a misspelt
// field is noticed.
func TestLabelUnreadable(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.gold.json")
	if err := os.WriteFile(bad, []byte("{\n \"schema\": 1,\n \"items\": [}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if g, _, err := eval.ReadLabelled(bad); g != nil || err == nil ||
		!strings.Contains(err.Error(), "bad.gold.json: line 3") {
		t.Errorf("got %v, %v, want an error that names line 3", g, err)
	}
	odd := filepath.Join(dir, "odd.gold.json")
	text, err := json.Marshal(map[string]any{"schema": 1, "session": "s", "itmes": []int{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(odd, text, 0o600); err != nil {
		t.Fatal(err)
	}
	_, notices, err := eval.ReadLabelled(odd)
	if err != nil || len(notices) != 1 || !strings.Contains(notices[0].String(), "itmes") {
		t.Errorf("got %v, %v, want the field itmes noticed", notices, err)
	}
}
