package library_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "recall/library"
)

func TestLastOfTheJournal(t *testing.T) {
	l, err := Create(filepath.Join(t.TempDir(), "Recall"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if got, err := l.Last("sync"); err != nil || len(got) != 0 {
		t.Errorf("of an empty journal: %v, %v", got, err)
	}
	for n := range 3 {
		if err := l.Journal("sync", map[string]any{"new": n, "pad": strings.Repeat("x", JournalTail/4)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Journal("archive", map[string]any{"grown": 7}); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(l.Dir(), "journal.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"what":"sync","new":9,"at":` + "\n"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := l.Last("sync", "archive", "verify")
	if err != nil || len(got) != 2 || got["sync"].N("new") != 2 || got["archive"].N("grown") != 7 ||
		got["archive"].At.IsZero() {
		t.Errorf("got %v, %v, want the last whole lines", got["archive"], err)
	}
}
