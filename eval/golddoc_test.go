package eval_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"recall/eval"
	"recall/payload"
)

// The files that docs/internals/gold.md shows are such files, and it names every kind.
func TestGoldDoc(t *testing.T) {
	page, err := os.ReadFile("../docs/internals/gold.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) != 2 {
		t.Fatalf("docs/internals/gold.md shows %d files, want a gold set and questions", len(blocks))
	}
	dir := filepath.Join(t.TempDir(), "billing")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	older := `{"schema": 1, "session": "0e55a1c9-…", "transcript": "", "items": [
		{"id": "d4", "kind": "decision", "text": "Retries wait 30 s.", "must": true, "turns": ["t"], "quote": "30 s"}], "not": []}`
	for name, text := range map[string]string{"a.gold.json": blocks[0][1], "b.gold.json": older,
		"all.questions.json": blocks[1][1]} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set, err := eval.LoadSet(filepath.Dir(dir))
	if err != nil {
		t.Fatalf("the files of docs/internals/gold.md: %v", err)
	}
	if len(set.Golds) != 2 || len(set.Questions) != 1 || set.Golds[0].Project != "billing" {
		t.Errorf("got %d gold sets and %d questions, want 2 and 1", len(set.Golds), len(set.Questions))
	}
	for _, k := range payload.Kinds {
		if k != payload.Lead && !strings.Contains(string(page), "| `"+string(k)+"` |") {
			t.Errorf("docs/internals/gold.md doesn't say what a %s is", k)
		}
	}
}
