package state_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"recall/library/state"
)

// facts reads what a state.db holds.
func facts(t *testing.T, dir string) (all []string) {
	t.Helper()
	db, err := state.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Each("SELECT name FROM fact ORDER BY name", func(r state.Row) { all = append(all, r.ColumnText(0)) })
	if err != nil {
		return nil // damage that is noticed only now
	}
	return all
}

func put(t *testing.T, dir string, names ...string) {
	t.Helper()
	db, err := state.Open(dir)
	if err != nil {
		t.Error(err)
		return
	}
	defer db.Close()
	for _, name := range names {
		err := db.Write(state.Change{SQL: "INSERT OR REPLACE INTO fact VALUES(?, ?)", Args: []any{name, "x"}})
		if err != nil {
			t.Error(err)
		}
	}
}

// Whatever is in its place, a state.db is made again, empty, and holds what is written next.
func TestMadeAgain(t *testing.T) {
	for name, spoil := range map[string]func(text string) string{
		"none":            nil,
		"empty":           func(string) string { return "" },
		"garbage":         func(string) string { return strings.Repeat("garbage ", 2000) },
		"cut short":       func(text string) string { return text[:len(text)/2] },
		"zeros inside":    func(text string) string { return text[:4096] + strings.Repeat("\x00", len(text)-4096) },
		"another version": func(text string) string { return text[:60] + "\x00\x00\x03\xe7" + text[64:] },
	} {
		dir := filepath.Join(t.TempDir(), "cache")
		put(t, dir, "a", "b")
		path := filepath.Join(dir, state.Name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		os.Remove(path)
		if spoil != nil {
			if err := os.WriteFile(path, []byte(spoil(string(text))), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := facts(t, dir); len(got) != 0 {
			t.Errorf("%s: got %q, want nothing", name, got)
		}
		put(t, dir, "c")
		put(t, dir, "c")
		if got := fmt.Sprint(facts(t, dir)); got != "[c]" {
			t.Errorf("%s: after a write: %s", name, got)
		}
	}
}

// Many at once make one file and lose nothing of one another.
func TestTogether(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() { put(t, dir, fmt.Sprint("a", i), fmt.Sprint("b", i)) })
	}
	all.Wait()
	if got := facts(t, dir); len(got) != 16 {
		t.Errorf("got %q, want 16", got)
	}
}
