package answer

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
		got, err := ParseWhen(in, now)
		if err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("ParseWhen(%q) = %v, %v; want %s", in, got, err, want)
		}
	}
	for _, in := range []string{"", "soon", "d", "-3d", "2026-13-01", "99999d"} {
		if got, err := ParseWhen(in, now); err == nil {
			t.Errorf("ParseWhen(%q) = %v, want an error", in, got)
		}
	}
}

func TestParseDay(t *testing.T) {
	now := time.Date(2026, 4, 17, 15, 4, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"2026-04-16":           "2026-04-17T00:00:00Z",
		"2026-03":              "2026-04-01T00:00:00Z",
		"2025":                 "2026-01-01T00:00:00Z",
		"yesterday":            "2026-04-17T00:00:00Z",
		"last week":            "2026-04-13T00:00:00Z",
		"3h":                   "2026-04-17T12:04:00Z",
		"2026-04-16T10:00:00Z": "2026-04-16T10:00:00Z",
	} {
		got, err := ParseDay(text, now)
		if err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("%s: got %s, %v, want %s", text, got.Format(time.RFC3339), err, want)
		}
	}
	if _, err := ParseDay("soon", now); err == nil {
		t.Error("soon is no day")
	}
}
