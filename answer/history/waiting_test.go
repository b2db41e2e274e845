package history

import (
	"testing"
	"time"

	"recall/payload"
)

func TestDaysBetween(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	for _, tt := range []struct {
		name, from, to string
		want           int
	}{
		{"the same day", "2026-03-29T00:30:00Z", "2026-03-29T20:00:00Z", 0},
		{"a midnight between them, in the zone of the later", "2026-03-28T22:30:00Z", "2026-03-28T23:30:00Z", 1},
		{"over a day of 23 hours", "2026-03-28T12:00:00Z", "2026-03-30T12:00:00Z", 2},
		{"a time to come", "2026-04-02T12:00:00Z", "2026-03-30T12:00:00Z", 0},
	} {
		from, _ := time.Parse(time.RFC3339, tt.from)
		to, _ := time.Parse(time.RFC3339, tt.to)
		if got := daysBetween(from, to.In(berlin)); got != tt.want {
			t.Errorf("%s: %d days, want %d", tt.name, got, tt.want)
		}
	}
}

// A next step that was begun on says so.
func TestWaitsWorkedOn(t *testing.T) {
	l := Loop{Waits: payload.Next}
	l.Item = payload.Item{Kind: payload.Next, Rule: payload.UnansweredRule, Since: payload.WorkedOn}
	if got, want := l.What(), "next, worked on"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
