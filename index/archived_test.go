package index

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What was left out is said whatever was archived: sessions, their items, and the projects that have no others.
func TestArchivedLeftOut(t *testing.T) {
	x := openWith(t, billing()...)
	all := search(t, x, Query{Text: "retries"})
	for _, d := range billing() {
		if err := x.SetArchived(t.Context(), d.Session, true); err != nil {
			t.Fatal(err)
		}
	}
	a := search(t, x, Query{Text: "retries"})
	got := []int{a.SearchedSessions, a.SearchedItems, a.Projects, a.Archived, len(a.Ranked)}
	if diff := cmp.Diff([]int{0, 0, 0, all.SearchedSessions, 0}, got); diff != "" {
		t.Error(diff)
	}
}

// A project all of whose many sessions were archived costs a search no more than reading them once.
func TestArchivedMany(t *testing.T) {
	x := openWith(t, billing()...)
	if _, err := x.db.Exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<20000)
		INSERT INTO session SELECT 1000+i, 'old'||i, 'old', '', '', i, i, 1, 0, x'', 1 FROM n`); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	a, err := x.Search(ctx, Query{Text: "retries"})
	if err != nil || a.Archived != 20000 {
		t.Errorf("%d archived left out, want 20000, %v", a.Archived, err)
	}
}
