package history

import (
	"testing"
	"time"

	"recall/ingest/trace"
)

func TestActionsTime(t *testing.T) {
	for took, want := range map[time.Duration]string{0: "", 2400 * time.Millisecond: "2 s", 80 * time.Second: "1m20s",
		2 * time.Minute: "2m0s", 100*time.Second + 300*time.Millisecond: "1m40s"} {
		if got := (Actions{}).Time(trace.Action{Took: took}); got != want {
			t.Errorf("%v: %q, want %q", took, got, want)
		}
	}
}
