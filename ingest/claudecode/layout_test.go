package claudecode

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
)

func TestSlug(t *testing.T) {
	for dir, want := range map[string]string{
		"":                  "",
		"/home/ann/app":     "-home-ann-app",
		`C:\Users\Ann\repo`: "C--Users-Ann-repo",
		"/w/my.app_v2":      "-w-my-app-v2",
		"/home/ann/.x":      "-home-ann--x",
		"/w/é":              "-w--",
		"/w/😀":              "-w---", // two UTF-16 units
	} {
		if got := Slug(dir); got != want {
			t.Errorf("Slug(%q) = %q, want %q", dir, got, want)
		}
	}
}

func TestLayoutPlaces(t *testing.T) {
	f := ingest.Found{ID: "s1", Files: []ingest.File{
		{Name: ingest.MainName, Role: ingest.Transcript, Path: `C:\Users\Ann\.claude\projects\C--w-app\s1.jsonl`},
		{Name: "transcripts/-w-tree.jsonl", Role: ingest.Transcript,
			Path: `C:\Users\Ann\.claude\projects\C--w-tree\s1.jsonl`},
		{Name: "subagents/workflows/w/agent-1.jsonl", Role: ingest.SubagentFile},
		{Name: "tool-results/t.txt", Role: ingest.ToolResult},
		{Name: "tasks/1.json", Role: ingest.SideFile},
	}}
	want := map[string]string{
		ingest.MainName:                       "projects/C--w-app/s1.jsonl",
		"transcripts/-w-tree.jsonl":           "projects/C--w-tree/s1.jsonl",
		"subagents/workflows/w/agent-1.jsonl": "projects/C--w-app/s1/subagents/workflows/w/agent-1.jsonl",
		"tool-results/t.txt":                  "projects/C--w-app/s1/tool-results/t.txt",
		"tasks/1.json":                        "tasks/s1/1.json",
	}
	got, err := ingest.PlacesOf(Reader{}, f, "")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := filepath.ToSlash(ingest.BaseOf(Reader{}, f)); got != "C:/Users/Ann/.claude" {
		t.Errorf("base %q", got)
	}
	got, err = ingest.PlacesOf(Reader{}, f, "/home/ann/app")
	if err != nil || got[ingest.MainName] != "projects/-home-ann-app/s1.jsonl" ||
		got["tool-results/t.txt"] != "projects/-home-ann-app/s1/tool-results/t.txt" {
		t.Errorf("in another folder: %v, %v", got, err)
	}
	for name, f := range map[string]ingest.Found{
		"no folder known": {ID: "s1", Files: []ingest.File{{Name: ingest.MainName, Role: ingest.Transcript,
			Path: "/backup/s1.jsonl"}}},
		"a name that leads out": {ID: "s1", Files: []ingest.File{
			{Name: ingest.MainName, Role: ingest.Transcript, Path: "/r/projects/-w/s1.jsonl"},
			{Name: "plans/../../../../../x", Role: ingest.SideFile}}},
	} {
		if _, err := ingest.PlacesOf(Reader{}, f, ""); !errors.Is(err, ingest.ErrNoPlace) {
			t.Errorf("%s: %v, want ErrNoPlace", name, err)
		}
	}
	if _, err := ingest.PlacesOf(Reader{}, f, "/"+strings.Repeat("long/", 50)); !errors.Is(err, ingest.ErrNoPlace) {
		t.Errorf("a slug that the client would cut: %v, want ErrNoPlace", err)
	}
}
