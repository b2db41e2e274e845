package ask

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/cmd/recall/terminal"
	"recall/payload"
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

// Only files that are there, inside the project, are asked of git.
func TestFilesOf(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"src/a.go", "Makefile", "../outside.go"} {
		path := filepath.Join(root, "p", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	it := payload.Item{About: []string{"src/a.go:44", "src/gone.go", "../outside.go", "ProcessQueue", "Makefile", "src", "--all", "-x/../src/a.go", filepath.Join(root, "p", "src", "a.go")}}
	got := slices.Compact(filesOf(filepath.Join(root, "p"), it))
	if diff := cmp.Diff([]string{"src/a.go"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"src/a.go": 2}, countCommits("\x00\n\nsrc/a.go\n\x00\n\nsrc/a.go\nsrc/b.go\n\x00\n\nsrc/b.go\n", map[string]string{"src/a.go": "src/a.go"})); diff != "" {
		t.Errorf("commits (-want +got)\n%s", diff)
	}
}
