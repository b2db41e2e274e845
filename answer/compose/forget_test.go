package compose

import (
	"path/filepath"
	"slices"
	"testing"

	"recall/index"
	"recall/ingest"
	"recall/library"
)

// Forgetting a session drops the answers that were made of something of it, and no others; the others are as good as
// before.
func TestForgetDrops(t *testing.T) {
	l, err := library.Create(filepath.Join(t.TempDir(), "Recall"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	all := said() // a decision with its history, three items, a turn
	all[0].Session, all[0].History[0].Session = "s1", "s2"
	for i, r := range all[1:4] {
		r.Session = []string{"s1", "s3", "s3"}[i]
	}
	all[4].Session = "s4"
	model := &says{text: `{"order": [1], "found": "answer", "of": ["s9"]}`}
	a := &Asker{Model: model, Kept: l}
	look := func(found ...*index.Result) func() error {
		return func() error { _, err := a.Look(t.Context(), "what?", found); return err }
	}
	asks := []struct {
		name string
		ask  func() error
		of   []ingest.SessionID
	}{
		{"a look at all", look(all...), []ingest.SessionID{"s1", "s3", "s4"}},
		{"a look at items", look(all[2], all[3]), []ingest.SessionID{"s3"}},
		{"a look at a turn", look(all[4]), []ingest.SessionID{"s4"}},
		{"a look at what was handed over",
			look(&index.Result{Passage: "use a heap", Place: index.Place{Session: "h1", Source: index.HandoffSource}}),
			[]ingest.SessionID{"s1", "s2", "s3", "s4", "s5"}},
	}
	asked := func(ask func() error) bool {
		t.Helper()
		before := len(model.asked)
		if err := ask(); err != nil {
			t.Fatal(err)
		}
		return len(model.asked) > before
	}
	for _, goes := range []ingest.SessionID{"s1", "s2", "s3", "s4", "s5"} {
		for _, c := range asks {
			asked(c.ask)
			if asked(c.ask) {
				t.Errorf("%s: asked twice", c.name)
			}
		}
		if err := l.DropAnswers([]ingest.SessionID{goes}, nil); err != nil {
			t.Fatal(err)
		}
		for _, c := range asks {
			if got, want := asked(c.ask), slices.Contains(c.of, goes); got != want {
				t.Errorf("%s, %s was forgotten: asked again %v, want %v", c.name, goes, got, want)
			}
		}
	}
}
