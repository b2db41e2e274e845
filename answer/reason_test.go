package answer

import (
	"testing"

	"recall/payload"
)

func TestWithReason(t *testing.T) {
	for _, c := range []struct {
		kind            payload.Kind
		text, said, why string
	}{
		{payload.Decision, "Clamp retry pause at 0, because time.Sleep skips negative values.", "Clamp retry pause at 0.",
			"time.Sleep skips negative values"},
		{payload.Eliminated, "No redis for the cache — it's another server to run.", "No redis for the cache.",
			"it's another server to run"},
		{payload.Decision, "Keep the losing offers, since we may need them again when prices do change",
			"Keep the losing offers.", "we may need them again when prices do change"},
		{payload.Deferred, "Metrics are left out because staging (the new one) isn't up", "Metrics are left out.",
			"staging (the new one) isn't up"},
		// A time, a detail, something inside of something, too little, another kind.
		{payload.Decision, "Workers use LISTEN since the release of March", "", ""},
		{payload.Decision, "Archive rows nightly, 5,000 at a time — later, not before the rollout.", "", ""},
		{payload.Decision, "Show a warning (red, because it's bad for the user) on the page", "", ""},
		{payload.Decision, "No, because that is slow", "", ""},
		{payload.Goal, "Fix the retry storm because the gateway is down", "", ""},
		{payload.Decision, "Retry five times because it is cheap. Then stop.", "", ""},
	} {
		got := WithReason(payload.Item{Kind: c.kind, Text: c.text})
		want := payload.Item{Kind: c.kind, Text: c.said, Why: c.why}
		if c.why == "" {
			want.Text = c.text
		}
		if got.Text != want.Text || got.Why != want.Why {
			t.Errorf("%s: got %q why %q, want %q why %q", c.text, got.Text, got.Why, want.Text, want.Why)
		}
	}
	own := payload.Item{Kind: payload.Decision, Text: "Clamp it at zero because it breaks", Why: "see above"}
	if got := WithReason(own); got.Text != own.Text || got.Why != own.Why {
		t.Errorf("got %+v, want it unchanged", got)
	}
}
