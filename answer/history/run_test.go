package history

import (
	"testing"
	"time"
)

// What the model made of a sync is journaled behind it, and is told with it; what
// it did before it isn't.
func TestRunWith(t *testing.T) {
	at := time.Date(2026, 4, 17, 2, 30, 0, 0, time.UTC)
	for _, c := range []struct {
		name  string
		asked *Run
		want  Run
	}{
		{"asked since", &Run{At: at.Add(time.Minute), Improved: 2, Queued: 7},
			Run{At: at, New: 9, Improved: 2, Queued: 7}},
		{"asked in the same second", &Run{At: at, Queued: 7}, Run{At: at, New: 9, Queued: 7}},
		{"asked the night before", &Run{At: at.AddDate(0, 0, -1), Queued: 7}, Run{At: at, New: 9}},
		{"never asked", nil, Run{At: at, New: 9}},
	} {
		r := &Run{At: at, New: 9}
		if r.With(c.asked); *r != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, *r, c.want)
		}
	}
	var none *Run
	none.With(&Run{At: at}) // a library that was never synced
}
