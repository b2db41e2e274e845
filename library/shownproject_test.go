package library_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"recall/ingest"
	"recall/library"
)

// A project that an earlier recall entered under a folder's name with a secret in
// it loses the name with the first session that is distilled again, and stays the
// project that it is.
func TestProjectLosesASecretName(t *testing.T) {
	l := newLib(t)
	root := "/home/ann/app-S3CR3T"
	old, err := l.ProjectFor(ingest.Project{Root: root, Name: "app-S3CR3T"})
	if err != nil || old.Folder != "app-S3CR3T" {
		t.Fatalf("got %+v, %v", old, err)
	}
	told := ingest.Project{Root: root, Name: "app-S3CR3T", ShownRoot: "/home/ann/" +
		"app-‹key›", ShownName: "app-‹key›"}
	now, err := l.ProjectFor(told)
	if err != nil || now.ID != old.ID || now.Name != "app-‹key›" || now.Folder != "app-‹key›" || now.Root != root {
		t.Errorf("got %+v, %v, want the same project by another name", now, err)
	}
	if got := now.Roots(); !slices.Equal(got, []string{root, told.ShownRoot}) {
		t.Errorf("roots %q, want the exact and the shown one", got)
	}
	// by a session that doesn't know it for a secret
	again, err := l.ProjectFor(ingest.Project{Root: root, Name: "app-S3CR3T"})
	if err != nil || again.Name != now.Name {
		t.Errorf("got %+v, %v, want it as it was", again, err)
	}
	other, err := l.ProjectFor(ingest.Project{Root: "/work/app-OTHER", Name: "app-OTHER", ShownRoot: "/work/app-‹key›",
		ShownName: "app-‹key›"})
	if err != nil || other.ID == now.ID || other.Folder == now.Folder {
		t.Errorf("got %+v beside %+v, %v, want two projects", other, now, err)
	}
	if err := l.MergeProjects(other.ID, now.ID); err != nil {
		t.Fatal(err)
	}
	merged, err := l.Project(other.Root)
	if err != nil || merged.ID != now.ID || merged.Show(other.Root) != "/work/app-‹key›" {
		t.Errorf("got %+v, %v, want the merged root to be shown without the secret", merged, err)
	}
	if filepath.Base(merged.Folder) != "app-‹key›" {
		t.Errorf("folder %q", merged.Folder)
	}
}

// A record by a clock that was ahead isn't the last thing said.
func TestNewestIsntInTheFuture(t *testing.T) {
	now := time.Now()
	at := func(end time.Time) library.Entry { return library.Entry{Meta: library.Meta{End: end}} }
	c := &library.Catalog{Entries: []library.Entry{at(now.AddDate(70, 0, 0)), at(now.Add(-time.Hour))}}
	if got := c.Tally(nil).Newest; !got.Equal(now.Add(-time.Hour)) {
		t.Errorf("the newest is of %v", got)
	}
}
