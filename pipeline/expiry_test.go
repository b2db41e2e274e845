package pipeline_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"recall/ingest"
	"recall/pipeline"
)

// Transcripts that the client is about to delete are counted, and said to be
// safe only if they are.
func TestExpiring(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "settings.json"), []byte(`{"cleanupPeriodDays": 20}`), 0o600); err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 5, 20, 12, 0, 0, 0, time.UTC)
	for id, age := range map[string]int{"a": 1, "b": 12, "c": 14, "d": 40} {
		k := first
		k.id = "1111111" + id + "-0000-4000-8000-000000000001"
		path := k.write(t, root)
		at := now.AddDate(0, 0, -age)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	p := open(t, t.TempDir())
	p.Now = func() time.Time { return now }
	p.Roots = map[ingest.Source][]string{ingest.ClaudeCode: {root}, ingest.Cowork: nil}
	for range 2 {
		r, err := p.Sync(context.Background(), pipeline.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Expiring != 2 || r.Unsafe != 0 {
			t.Errorf("%d expiring, %d of them unsafe; want 2 and 0", r.Expiring, r.Unsafe)
		}
	}
	late := open(t, t.TempDir())
	late.Now, late.Roots = p.Now, p.Roots
	r, err := late.Sync(context.Background(), pipeline.Options{Budget: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	if r.Expiring != 2 || r.Unsafe == 0 || r.Left == 0 {
		t.Errorf("out of time: %d expiring, %d unsafe, %d left; want 2, some and some", r.Expiring, r.Unsafe, r.Left)
	}
}
