package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recall/cmd/recall/keep"
	"recall/serve/hooks"
)

// A project in a folder that is called by a secret is the same project to every
// command and hook, under a name that doesn't tell it.
func TestProjectInAFolderCalledByASecret(t *testing.T) {
	d := newDesk(t)
	secret := "AKIA" + "QX3ZB7RTLMN5WPKD"
	d.project = filepath.Join(d.home, "harbor-"+secret)
	must(t, os.MkdirAll(filepath.Join(d.project, "src"), 0o700))
	t.Chdir(d.project)
	id := "5c000001-0000-4000-8000-000000000001"
	d.says(id, "Let's use a heap for the queue instead of a sorted list, because inserts are faster.",
		"The heap is in src/queue.go now.")
	d.recall("init", "--yes")
	projects := func() []keep.ProjectDoc {
		t.Helper()
		out := d.recall("project", "list", "--json")
		if strings.Contains(out, secret) {
			t.Errorf("project list prints the secret: %s", out)
		}
		var all []keep.ProjectDoc
		if err := json.Unmarshal([]byte(out), &all); err != nil || len(all) != 1 {
			t.Fatalf("got %s (%v), want one project", out, err)
		}
		return all
	}
	if got := projects()[0]; got.Name != "harbor-‹aws-key›" || !strings.HasSuffix(got.Root, "/harbor-‹aws-key›") {
		t.Errorf("got %+v, want harbor-‹aws-key›", got)
	}
	if folders, _ := filepath.Glob(filepath.Join(d.library, "harbor-‹aws-key›", "*",
		"payload.md")); len(folders) != 1 {
		t.Errorf("got %q, want one payload in the project's folder", folders)
	}
	if start := d.context(d.hook(hooks.SessionStart, "5c000009-0000-4000-8000-000000000009", "source",
		"startup")); !strings.Contains(start, "heap") || strings.Contains(start, secret) {
		t.Errorf("a session that starts there is told %q, want of the heap and no secret", start)
	}
	if out := d.recall("resume", "--no-sync"); !strings.Contains(out, "heap") || strings.Contains(out, secret) {
		t.Errorf("resume from there: got %q, want of the heap and no secret", out)
	}
	d.says("5c000002-0000-4000-8000-000000000002", "Let's keep the retry limit at five instead of ten.", "Five it is.")
	d.recall("sync")
	if got := projects()[0]; got.Sessions != 2 {
		t.Errorf("got %d sessions of the project, want 2", got.Sessions)
	}
	d.recall("project", "rename", "harbor-‹aws-key›", "harbor")
	d.recall("reindex")
	if got := projects()[0]; got.Name != "harbor" || got.Sessions != 2 {
		t.Errorf("renamed: got %+v, want harbor with 2 sessions", got)
	}
	if out := d.recall("resume", "--no-sync"); !strings.Contains(out, "retry limit") {
		t.Errorf("resume after the rename: got %q", out)
	}
}
