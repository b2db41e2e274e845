package pipeline_test

import (
	"bytes"
	"context"
	"errors"
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
	for _, unsafe := range []int{2, 0} {
		all, _, _ := p.Exposed(context.Background())
		if len(all) != 1 || all[0].Sessions != 2 || all[0].Overdue != 1 || all[0].Unsafe != unsafe {
			t.Errorf("%+v; want 2, 1 of them overdue, and %d unsafe", all, unsafe)
		}
		if _, err := p.Sync(context.Background(), pipeline.Options{}); err != nil {
			t.Fatal(err)
		}
	}
}

// No deletion is announced that won't come: the client keeps what its desktop app began for as long as another setting
// says, for good by default, and it refuses to keep transcripts for less than a day.
func TestExpiringByWhoBeganIt(t *testing.T) {
	for settings, want := range map[string]int{`{}`: 1, `{"desktopSessionCleanupPeriodDays": 0}`: 1,
		`{"desktopSessionCleanupPeriodDays": 35}`: 2, `{"desktopSessionCleanupPeriodDays": 90}`: 1,
		`{"cleanupPeriodDays": 0}`: 1, `{"cleanupPeriodDays": 365}`: 0} {
		root, now := t.TempDir(), time.Now()
		if err := os.WriteFile(filepath.Join(root, "settings.json"), []byte(settings), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, k := range []talk{first, second, third} {
			path := k.write(t, root)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			at := now.AddDate(0, 0, -34)
			switch k.id {
			case second.id:
				text = bytes.ReplaceAll(text, []byte(`{"`), []byte(`{"entrypoint":"claude-desktop","`))
			case third.id:
				at = now.AddDate(0, 0, -3)
			}
			if err := errors.Join(os.WriteFile(path, text, 0o600), os.Chtimes(path, at, at)); err != nil {
				t.Fatal(err)
			}
		}
		p := own(open(t, t.TempDir()), root)
		if all, _, _ := p.Exposed(t.Context()); want == 0 && len(all) > 0 || want > 0 && (len(all) != 1 ||
			all[0].Sessions != want || all[0].Overdue > want || all[0].Overdue == 0) {
			t.Errorf("%s: %+v, want %d", settings, all, want)
		}
	}
}
