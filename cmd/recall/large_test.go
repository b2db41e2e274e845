package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// What a question leaves behind waits for a large session that was made only lately, and
// takes it in when it is due, with nobody calling it.
func TestLargeSessionFollows(t *testing.T) {
	t.Parallel()
	if os.Getenv("RECALL_LONG") == "" {
		t.Skip("skipped: no RECALL_LONG, and it waits half a minute")
	}
	home, recall := asProgram(t)
	said := make([]string, 13_200) // turns; from 13,000 on a session is large
	for i := range said {
		said[i] = fmt.Sprintf("Go on with gauge %d.", i)
	}
	tell(t, home, 1, said...)
	recall(nil, "sync")
	tell(t, home, 1, append(said, "We decided that the harbour listens on port 90125.", "Done.")...)
	ask := []string{"query", "which port does the harbour listen on"}
	out, errOut := recall(nil, ask...)
	if strings.Contains(out, "90125") || !strings.Contains(errOut, "a large session in progress follows in") {
		t.Fatalf("right after it grew: %q, %q", out, errOut)
	}
	for end := time.Now().Add(3 * time.Minute); !strings.Contains(out, "90125"); {
		if time.Now().After(end) {
			t.Fatalf("it never followed: %q, %q", out, errOut)
		}
		time.Sleep(2 * time.Second)
		out, errOut = recall([]string{"RECALL_QUERY_SYNC=false"}, ask...) // which begins nothing
	}
}
