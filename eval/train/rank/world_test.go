package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recall/index"
)

const kilnSessions = `[
 {"id": "kiln-01", "title": "Firing curves", "start": "2026-02-03T09:00:00Z",
  "turns": [{"id": "t1", "by": "user", "after": 0, "text": "keep the firing curves in a CSV file, people edit them"}],
  "items": [{"id": "d1", "kind": "decision", "text": "Firing curves are kept in a CSV file.", "must": true, "turns": ["t1"], "quote": "firing curves in a CSV file"}]},
 {"id": "kiln-02", "title": "Curves move", "start": "2026-03-03T09:00:00Z",
  "turns": [{"id": "t1", "by": "user", "after": 0, "text": "sqlite instead of the csv file for the firing curves"}],
  "items": [{"id": "d1", "kind": "decision", "text": "Firing curves are kept in SQLite instead of a CSV file.", "must": true, "turns": ["t1"], "quote": "sqlite instead of the csv file"}]}
]`

// A world of invented projects alone is asked and fitted to.
func TestInventedWorld(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "kiln"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"sessions.json": kilnSessions,
		"questions.json": `[{"q": "where are the firing curves kept?", "expect": ["kiln-02#d1"], "stale": ["kiln-01#d1"]},
			{"q": "what are firing curves kept in?", "expect": ["kiln-01#d1"], "as_of": "2026-02-20"}, {"q": "which relay switches the fan?", "expect": []}]`,
		"aliases.json": `{"kiln-02#d1": {"aliases": ["curve storage"], "asks": ["what holds the ramps?", "CSV or SQLite?"]}}`} {
		if err := os.WriteFile(filepath.Join(dir, "kiln", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w, err := load(t.Context(), "", dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	kiln := w.projects[0]
	if kiln.Name != "kiln" || kiln.Real() || len(w.asked) != 5 || len(kiln.Cases) != 2 {
		t.Fatalf("got project %s, %d questions, %d sessions; want kiln, 5 and 2", kiln.Name, len(w.asked), len(kiln.Cases))
	}
	if err := w.ask(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(w.samples); n != 3*len(sources)+2*2 {
		t.Errorf("got %d samples, want 3 questions of each of %d sources of items, and 2 beside items of two", n,
			len(sources))
	}
	for _, source := range []string{perfect, aliased} {
		got, err := kiln.measure(t.Context(), source, index.Query{})
		if err != nil {
			t.Fatal(err)
		}
		if got.All.N != 2 || got.All.Answer1.Value != 1 || got.Stale.K != 0 || got.Stale.N != 1 {
			t.Errorf("%s: got %+v, want both answered first, the one that changed by what stands", source, got)
		}
	}
}

// A project is distilled by what others teach: what somebody wrote down of its own sessions doesn't bear on what is
// found in it, and what was written down of the others does.
func TestDistilledLeftOut(t *testing.T) {
	said := map[string]string{"t1": "keep the firing curves in a CSV file", "t2": "are read twice a day"}
	found := func(own, others string) string {
		t.Helper()
		dir := t.TempDir()
		for name, wanted := range map[string]string{"kiln": own, "loom": others} {
			if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
				t.Fatal(err)
			}
			var sessions []string
			for i := range 12 {
				sessions = append(sessions, fmt.Sprintf(`{"id": "%s-%02d", "title": "Curves", "start": "2026-02-%02dT09:00:00Z",
 "turns": [{"id": "t1", "by": "user", "after": 0, "text": "keep the firing curves in a CSV file, people edit them"},
  {"id": "t2", "by": "assistant", "after": 60, "text": "The firing curves of kiln %d are read twice a day."}],
 "items": [{"id": "d1", "kind": "decision", "text": "%s", "must": true, "turns": ["%s"], "quote": "%[5]s"}]}`,
					name, i, i+1, i, said[wanted], wanted))
			}
			for file, text := range map[string]string{"sessions.json": "[" + strings.Join(sessions, ",") + "]",
				"questions.json": `[{"q": "how often are curves read?", "expect": ["` + name + `-01#d1"]}]`, "aliases.json": "{}"} {
				if err := os.WriteFile(filepath.Join(dir, name, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		w, err := load(t.Context(), "", dir)
		if err != nil {
			t.Fatal(err)
		}
		defer w.close()
		var b strings.Builder
		for _, k := range w.projects[0].Cases {
			for _, it := range w.projects[0].made.Items[k.Gold.Session] {
				fmt.Fprintln(&b, it.Text, it.Confidence)
			}
		}
		return b.String()
	}
	was := found("t2", "t2")
	if got := found("t1", "t2"); got != was {
		t.Errorf("what was written down of its own sessions bears on what is found in a project:\n%s, else\n%s", got, was)
	}
	if found("t2", "t1") == was {
		t.Errorf("what was written down of others doesn't: %s", was)
	}
}
