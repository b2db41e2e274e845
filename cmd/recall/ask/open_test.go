package ask

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/cmd/recall/terminal"
)

func TestAtLine(t *testing.T) {
	for program, want := range map[string][]string{
		"vim":                         {"+7", "t.md"},
		"/usr/bin/nano":               {"+7", "t.md"},
		"code":                        {"-g", "t.md:7"},
		"Code.exe":                    {"-g", "t.md:7"},
		"code.cmd":                    {"-g", "t.md:7"},
		"/opt/idea/bin/idea":          {"--line", "7", "t.md"},
		"subl":                        {"t.md:7"},
		"notepad++.exe":               {"-n7", "t.md"},
		"notepad":                     {"t.md"},
		"a program of somebody's own": {"t.md"},
	} {
		if diff := cmp.Diff(want, atLine(program, "t.md", 7)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", program, diff)
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
		"2d":                   "2026-04-16T00:00:00Z",
		"3h":                   "2026-04-17T12:04:00Z",
		"2026-04-16T10:00:00Z": "2026-04-16T10:00:00Z",
	} {
		got, err := terminal.ParseDay(text, now, time.UTC)
		if err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("%s: got %s, %v, want %s", text, got.Format(time.RFC3339), err, want)
		}
	}
	if _, err := terminal.ParseDay("soon", now, time.UTC); err == nil {
		t.Error("soon is no day")
	}
}
