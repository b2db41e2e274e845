package index

import (
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

func itemsOf(a Answer) []string {
	var out []string
	for _, r := range a.Ranked {
		if r.Item != nil {
			out = append(out, string(r.Item.ID))
		}
	}
	return out
}
