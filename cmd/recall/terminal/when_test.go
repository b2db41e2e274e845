package terminal

import (
	"testing"
	"time"
)

func TestParseWhen(t *testing.T) {
	now := time.Date(2026, 4, 17, 15, 4, 0, 0, time.UTC)
	for in, want := range map[string]string{
		"2026-03-02":           "2026-03-02T00:00:00Z",
		"2026-03":              "2026-03-01T00:00:00Z",
		"today":                "2026-04-17T00:00:00Z",
		"Yesterday":            "2026-04-16T00:00:00Z",
		"12h":                  "2026-04-17T03:04:00Z",
		"3d":                   "2026-04-14T00:00:00Z",
		"2w":                   "2026-04-03T00:00:00Z",
		"1m":                   "2026-03-17T00:00:00Z",
		"1y":                   "2025-04-17T00:00:00Z",
		"2026-04-17T12:00:00Z": "2026-04-17T12:00:00Z",
	} {
		got, err := ParseWhen(in, now, time.UTC)
		if err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("parseWhen(%q) = %v, %v; want %s", in, got, err, want)
		}
	}
	for _, in := range []string{"", "soon", "d", "-3d", "2026-13-01", "99999d"} {
		if got, err := ParseWhen(in, now, time.UTC); err == nil {
			t.Errorf("parseWhen(%q) = %v, want an error", in, got)
		}
	}
}
