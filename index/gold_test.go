package index

import (
	"encoding/json"
	"os"
	"testing"
)

// shared is where the transcripts and gold sets lie that are not part of the
// repository.
func shared(t testing.TB) string {
	dir := os.Getenv("RECALL_SHARED")
	if dir == "" {
		t.Skip("RECALL_SHARED is not set")
	}
	return dir
}

func readJSON(t testing.TB, file string, v any) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

func itemsOf(a Answer) []string {
	var out []string
	for _, r := range a.Ranked {
		if r.Item != nil {
			out = append(out, string(r.Item.ID))
		}
	}
	return out
}
